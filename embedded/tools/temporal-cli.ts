import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from './cache.ts'
import { fromCache, fromSdk, fromVariable, makeInPlace, resolveBinary } from './resolve.ts'
import { run } from './run.ts'

/** Server 1.29.1 and UI 2.42.1. `go install` rejects later modules, from 1.6 on, because of their replace directives. */
export const TEMPORAL_CLI_VERSION = 'v1.5.1'
/** The server in the oldest supported CLI. A CLI that `go install` built reports only this version. */
const OLDEST_SERVER = [1, 29] as const

const PACKAGE = `github.com/temporalio/cli/cmd/temporal@${TEMPORAL_CLI_VERSION}`

/** Finds or installs the Temporal CLI, which contains the development server and its UI. @returns its path */
export function resolveTemporalCli(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  aborted?: AbortSignal,
): Promise<string> {
  const cached = join(cacheFolder(`temporal-cli-${TEMPORAL_CLI_VERSION}`), 'temporal')
  return resolveBinary(
    {
      what: 'Temporal',
      advice:
        'Install the Temporal CLI (https://docs.temporal.io/cli) or Go 1.24 or later, or set TEMPORAL_CLI_PATH; ' +
        'or use an external Temporal with TEMPORAL_ADDRESS.',
      check: assertRecent,
    },
    [
      fromVariable(env, 'TEMPORAL_CLI_PATH'),
      {
        name: '`temporal` on PATH',
        find: () =>
          (env['PATH'] ?? '')
            .split(delimiter)
            .map((directory) => join(directory, 'temporal'))
            .find((path) => existsSync(path)),
      },
      fromCache(cached),
      fromSdk(cached, async (downloadDir) => {
        const { TestWorkflowEnvironment } = await import('@temporalio/testing')
        const executable = { type: 'cached-download', version: TEMPORAL_CLI_VERSION, downloadDir } as const
        const log = { format: 'pretty', level: 'error' } as const
        await (await TestWorkflowEnvironment.createLocal({ server: { executable, log } })).teardown()
      }),
      {
        name: `go install ${PACKAGE}`,
        slow: 'building with `go install`; this takes a few minutes, once',
        find: () =>
          makeInPlace(cached, async (folder) => {
            await run('go', ['install', PACKAGE], { env: { GOBIN: folder, GOFLAGS: '' }, say, aborted })
          }),
      },
    ],
    say,
    aborted,
  )
}

/** @throws {Error} if the program is another one of the same name, is damaged, or has a server that is too old */
async function assertRecent(path: string): Promise<void> {
  const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 }).catch((error: unknown) => {
    throw new Error('it does not run', { cause: error })
  })
  const server = /\bServer v?(\d+)\.(\d+)[\d.]*/.exec(stdout)
  if (!server) throw new Error('it does not report the version of its server, as the Temporal CLI does')
  const [major, minor] = [Number(server[1]), Number(server[2])]
  const [oldestMajor, oldestMinor] = OLDEST_SERVER
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`it is too old (${server[0]}); the Temporal CLI 1.5 (Server 1.29) or later is required`)
  }
}
