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

  const rejected: [string, string, string, string][] = [
    [
      'an import against the order of the modules',
      'src/contacts/tag.ts',
      "export { isStillEnrolled } from '../enrollments/index.ts'",
      'boundaries/dependencies',
    ],
    [
      'a type import against the order of the modules',
      'src/contacts/tag.ts',
      "export type { Enrollments } from '../enrollments/index.ts'",
      'boundaries/dependencies',
    ],
    [
      "an import of a module's internal file",
      'src/contacts/tags.ts',
      "export { findList } from '../lists/queries.ts'",
      'boundaries/dependencies',
    ],
    [
      'the database in a workflow',
      'workflows/enrollment.ts',
      "export { claimMessage } from '../src/messages/store-queries.ts'",
      'boundaries/dependencies',
    ],
    [
      'a test in the product',
      'src/contacts/tag.ts',
      "export { eventually } from '../../test/support/eventually.ts'",
      'boundaries/dependencies',
    ],
    [
      'raw SQL outside queries.ts',
      'src/contacts/tag.ts',
      "import { sql } from '../platform/db/sql.ts'; void sql",
      'no-restricted-syntax',
    ],
    [
      'a re-export of raw SQL',
      'src/contacts/queries.ts',
      "export { sql } from '../platform/db/sql.ts'",
      'no-restricted-syntax',
    ],
    [
      "the ORM's raw SQL outside queries.ts",
      'src/contacts/tag.ts',
      "import { raw } from '@mikro-orm/postgresql'; void raw",
      'no-restricted-syntax',
    ],
    [
      'an environment variable read outside the configuration',
      'src/contacts/tag.ts',
      "export const home = process.env['HOME']",
      'no-restricted-syntax',
    ],
    [
      'an environment variable read in a statement outside the configuration',
      'src/contacts/queries.ts',
      'export const home = process.env.HOME',
      'no-restricted-syntax',
    ],
    [
      'the configuration loaded instead of injected',
      'src/contacts/tag.ts',
      "export { readConfig } from '../platform/config.ts'",
      'no-restricted-imports',
    ],
  ]
  for (const [what, file, line, rule] of rejected) {
    it(`rejects ${what}`, async () => {
      assert.deepEqual(await problemsOf(file, line), [rule])
    })
  }

  const accepted: [string, string, string][] = [
    [
      'an import of what an earlier module exports',
      'src/contacts/tags.ts',
      "export { getList } from '../lists/index.ts'",
    ],
    [
      'raw SQL in queries.ts',
      'src/contacts/queries.ts',
      "import { sql as run } from '../platform/db/sql.ts'; void run",
    ],
  ]
  for (const [what, file, line] of accepted) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await problemsOf(file, line), [])
    })
  }

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
