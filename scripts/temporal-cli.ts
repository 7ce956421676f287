import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from './cache.ts'
import { fromCache, fromSdk, fromVariable, resolveBinary } from './resolve.ts'
import { run } from './run.ts'

/** Server 1.29.1 and UI 2.42.1. From 1.6 on, `go install` refuses the module for its replace directives. */
export const TEMPORAL_CLI_VERSION = 'v1.5.1'

const PACKAGE = `github.com/temporalio/cli/cmd/temporal@${TEMPORAL_CLI_VERSION}`

/** Finds or gets the Temporal CLI, which holds the development server and its UI. @returns its path. */
export function resolveTemporalCli(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const folder = cacheFolder(`temporal-cli-${TEMPORAL_CLI_VERSION}`)
  const cached = join(folder, 'temporal')
  return resolveBinary(
    'Temporal',
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
      fromSdk(folder, cached, async (downloadDir) => {
        const { TestWorkflowEnvironment } = await import('@temporalio/testing')
        const executable = { type: 'cached-download', version: TEMPORAL_CLI_VERSION, downloadDir } as const
        const log = { format: 'pretty', level: 'error' } as const
        await (await TestWorkflowEnvironment.createLocal({ server: { executable, log } })).teardown()
      }),
      {
        name: `go install ${PACKAGE}`,
        slow: 'is built with `go install`; this takes some minutes, once',
        async find() {
          await run('go', ['install', PACKAGE], { env: { GOBIN: folder, GOFLAGS: '' }, say })
          return cached
        },
      },
    ],
    'Please install the Temporal CLI (https://docs.temporal.io/cli) or Go 1.24 or later, or set TEMPORAL_CLI_PATH; ' +
      'or use a Temporal of your own with TEMPORAL_ADDRESS.',
    say,
  )
}
