import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertKnown } from '../../scripts/options.ts'
import { copyWithMutant } from './mutate.ts'
import { TESTED_MUTANTS } from './tested-mutants.ts'

/** `npm run test:mutants -- [NAME…]`: runs the tests of each broken build, which have to fail. */
const ROOT = join(import.meta.dirname, '../..')
const names = process.argv.slice(2)
for (const name of names) assertKnown('mutant', name, TESTED_MUTANTS, 'test/faults/tested-mutants.ts')

const survivors: string[] = []
const tried = names.length > 0 ? names : Object.keys(TESTED_MUTANTS)
for (const name of tried) {
  const mutant = TESTED_MUTANTS[name]!
  const folder = mkdtempSync(join(tmpdir(), 'dripline-mutant-'))
  try {
    copyWithMutant(ROOT, folder, mutant)
    for (const part of ['test', 'package-lock.json', '.mocharc.json'])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true })
    for (const part of ['dist', 'packages', 'dashboard', 'docs', 'examples'])
      symlinkSync(join(ROOT, part), join(folder, part))
    const { status, stdout } = spawnSync('npx', ['mocha', '--bail', ...mutant.tests], { cwd: folder, encoding: 'utf8' })
    // A build that does not load fails, too, but shows nothing.
    const failed = /^\d+ passed, [1-9]\d* failed/m.test(stdout) && status !== 0
    if (!failed) survivors.push(name)
    console.log(`${failed ? '✔' : '✘'} ${name}: ${mutant.what}${failed ? '' : `\n${stdout.slice(-2_000)}`}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(`${tried.length - survivors.length} of ${tried.length} mutants fail`)
process.exitCode = survivors.length === 0 ? 0 : 1
