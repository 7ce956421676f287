import assert from 'node:assert/strict'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import { ESLint } from 'eslint'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/npm-start.ts'

describe('the linter', function () {
  this.timeout(120_000)
  const eslint = new ESLint({ cwd: ROOT })

  /** Returns the lint errors for a file of the repository with one line added at its beginning. */
  async function problemsOf(file: string, line: string): Promise<string[]> {
    const path = join(ROOT, file)
    const [result] = await eslint.lintText(`${line}\n${readFileSync(path, 'utf8')}`, { filePath: path })
    return result!.messages.filter((message) => message.line === 1).map(({ ruleId }) => ruleId ?? 'does not parse')
  }

  it('rejects and accepts lines by the rules of the modules', async () => {
    const deviations: unknown[] = []
    for (const [file, line, ...expected] of [
      // The order of the modules.
      ['src/contacts/tag.ts', "export { isStillEnrolled } from '../enrollments/index.ts'", 'boundaries/dependencies'],
      ['src/contacts/tag.ts', "export type { Enrollments } from '../enrollments/index.ts'", 'boundaries/dependencies'],
      ['src/contacts/tags.ts', "export { getList } from '../lists/index.ts'"],
      // A module's internal file, the database in a workflow, and a test in the product.
      ['src/contacts/tags.ts', "export { findList } from '../lists/queries.ts'", 'boundaries/dependencies'],
      [
        'workflows/enrollment.ts',
        "export { claimMessage } from '../src/messages/store-queries.ts'",
        'boundaries/dependencies',
      ],
      [
        'src/contacts/tag.ts',
        "export { eventually } from '../../test/support/eventually.ts'",
        'boundaries/dependencies',
      ],
      // Raw SQL outside queries.ts.
      ['src/contacts/tag.ts', "import { sql } from '../platform/db/sql.ts'; void sql", 'no-restricted-syntax'],
      ['src/contacts/queries.ts', "export { sql } from '../platform/db/sql.ts'", 'no-restricted-syntax'],
      ['src/contacts/queries.ts', "import { sql as run } from '../platform/db/sql.ts'; void run"],
      ['src/contacts/tag.ts', "import { raw } from '@mikro-orm/postgresql'; void raw", 'no-restricted-syntax'],
      // Settings that are not injected.
      ['src/contacts/tag.ts', "export const home = process.env['HOME']", 'no-restricted-syntax'],
      ['src/contacts/queries.ts', 'export const home = process.env.HOME', 'no-restricted-syntax'],
      ['src/contacts/tag.ts', "export { readConfig } from '../platform/config.ts'", 'no-restricted-imports'],
    ] as [string, string, ...string[]][]) {
      const problems = await problemsOf(file, line)
      if (problems.join() !== expected.join()) deviations.push({ file, line, problems, expected })
    }
    assert.deepEqual(deviations, [])
  })

  it('rejects circular imports, including those of types', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dripline-circle-'))
    try {
      writeFileSync(join(folder, 'a.ts'), "import { b } from './b.ts'\nexport type A = typeof b\n")
      writeFileSync(join(folder, 'b.ts'), "import type { A } from './a.ts'\nexport const b: A | 1 = 1\n")
      const rules = JSON.parse(readFileSync(join(ROOT, '.dependency-cruiser.json'), 'utf8')) as NonNullable<
        ICruiseOptions['ruleSet']
      >
      const { output } = await cruise(['.'], {
        tsPreCompilationDeps: true,
        ruleSet: rules,
        validate: true,
        baseDir: folder,
      })
      const { summary } = output as ICruiseResult
      assert.deepEqual([...new Set(summary.violations.map(({ rule }) => rule.name))], ['no-circle'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
