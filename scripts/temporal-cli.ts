import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from './cache.ts'
import { resolveBinary } from './resolve.ts'
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
      {
        name: 'TEMPORAL_CLI_PATH',
        find() {
          const path = env['TEMPORAL_CLI_PATH']
          if (path && !existsSync(path)) throw new Error(`there is no file ${path}`)
          return path || undefined
        },
      },
      {
        name: '`temporal` on PATH',
        find: () =>
          (env['PATH'] ?? '')
            .split(delimiter)
            .map((directory) => join(directory, 'temporal'))
            .find((path) => existsSync(path)),
      },
      { name: 'the cache', find: () => (existsSync(cached) ? cached : undefined) },
      { name: "the SDK's download", find: () => download(folder, cached) },
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

/** The SDK offers no download alone: it is asked to start a server, which leaves the binary in the folder. */
async function download(folder: string, target: string): Promise<string> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing')
  const downloads = join(folder, `download-${process.pid}`)
  try {
    const environment = await TestWorkflowEnvironment.createLocal({
      server: {
        executable: { type: 'cached-download', version: TEMPORAL_CLI_VERSION, downloadDir: downloads },
        log: { format: 'pretty', level: 'error' },
      },
    })
    await environment.teardown()
    const [name] = readdirSync(downloads)
    if (name === undefined) throw new Error('the download left no file')
    renameSync(join(downloads, name), target)
    chmodSync(target, 0o755)
    return target
  } finally {
    rmSync(downloads, { recursive: true, force: true })
  }
}
