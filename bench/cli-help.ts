import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { timed, type Benchmark } from './compare.ts'

const CLI = fileURLToPath(new URL('../src/bin/cli.ts', import.meta.url))
const run = promisify(execFile)

/** The command line's help ÷ a Node program that does nothing. */
export const cliHelp: Benchmark = {
  name: 'cli-help',
  title: '`cli --help` ÷ an empty Node program',
  goal: { atMost: 4 },
  unit: 'ms',
  prepare: () =>
    Promise.resolve({
      ours: () => timed(() => run(process.execPath, [CLI, '--help'])),
      bare: () => timed(() => run(process.execPath, ['-e', '0'])),
      close: () => Promise.resolve(),
    }),
}
