import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { eventually } from '../support/eventually.ts'
import { ROOT } from '../support/npm-start.ts'

const start = (command: string, env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, command.split(' '), {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function run(command: string) {
  const child = start(command)
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}

describe('a script', function () {
  // Each test starts a process or two, on a machine that may be busy.
  this.timeout(180_000)
  const refused: [string, RegExp][] = [
    ['test/simulation/main.ts --seeds abc', /--seeds must be a whole number, 1 or more/],
    ['test/simulation/main.ts --world nope', /There is no world "nope". --list-worlds lists them/],
    ['test/simulation/main.ts --mutant toString', /There is no mutant "toString". --list-mutants lists them/],
    ['test/simulation/main.ts 200', /"200" is not an option. --help lists the options/],
    ['test/faults/main.ts --story nope', /There is no story "nope". --list-stories lists them/],
    ['test/contract/main.ts --examples abc', /--examples must be a whole number, 1 or more/],
    ['test/support/busy-folder/main.ts', /Specify the folder: npm run busy-folder/],
    ['scripts/bundle-workflows.ts --bogus', /--bogus.*--help lists the options/],
    ['bench/index.ts nope', /Unknown benchmark: nope. The names are: enroll/],
  ]
  it('reports in one line what is wrong with its options, and fails', async () => {
    for (const [command, words] of refused) {
      const { code, stdout, stderr } = await run(command)
      assert.deepEqual([code, stdout], [1, ''], command)
      assert.match(stderr, words)
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
    }
  })

  it('rejects options of a process that has none, and starts nothing', async () => {
    for (const part of ['src/bin/start.ts', 'scripts/cluster/index.ts']) {
      const help = await run(`${part} --help`)
      assert.deepEqual([help.code, help.stderr], [0, ''])
      assert.match(help.stdout, /takes no options; settings are environment variables/)
      const bogus = await run(`${part} --port 4000`)
      assert.deepEqual([bogus.code, bogus.stdout], [1, ''])
      assert.match(bogus.stderr, /takes no options; .* Unexpected option: --port$/m)
    }
  })

  it('lists its options with --help', async () => {
    for (const command of ['test/simulation/main.ts', 'bench/index.ts']) {
      const { code, stdout, stderr } = await run(`${command} --help`)
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, /^npm run [\w:]+ -- \[/)
      assert.match(stdout, /^ {2}--help +print this$/m)
    }
  })

  it('leaves no temporary files when it is stopped by a signal', async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const temporary = mkdtempSync(join(tmpdir(), 'dripline-signal-'))
      try {
        const child = start('test/simulation/main.ts --seeds 1000000', { TMPDIR: temporary })
        const ended = new Promise((resolve) => child.once('close', resolve))
        await eventually('Postgres is up', () =>
          readdirSync(temporary).some((name) => existsSync(join(temporary, name, 'running.json'))) ? true : undefined,
        )
        child.kill(signal)
        await ended
        assert.deepEqual(readdirSync(temporary), [])
      } finally {
        rmSync(temporary, { recursive: true, force: true })
      }
    }
  })
})
