import { join } from 'node:path'
import { cacheFolder } from './cache.ts'
import { fromCache, fromVariable, makeInPlace, resolveBinary } from './resolve.ts'
import { run } from './run.ts'

interface GoTool {
  /** Its name in messages. */
  what: string
  /** The Go package of the program, whose last part is the name of the binary. */
  program: string
  version: string
  /** The environment variable with the path of a binary to use instead. */
  variable: string
}

/** Programs without an npm package, which `go install` builds. Versions match those in docker-compose.yml. */
export const GO_TOOLS = {
  'toxiproxy-server': {
    what: 'Toxiproxy',
    program: 'github.com/Shopify/toxiproxy/v2/cmd/server',
    version: 'v2.5.0',
    variable: 'TOXIPROXY_PATH',
  },
  'temporal-server': {
    what: "Temporal's server",
    program: 'go.temporal.io/server/cmd/server',
    version: 'v1.29.1',
    variable: 'TEMPORAL_SERVER_PATH',
  },
  'temporal-sql-tool': {
    what: "Temporal's schema tool",
    program: 'go.temporal.io/server/cmd/tools/sql',
    version: 'v1.29.1',
    variable: 'TEMPORAL_SQL_TOOL_PATH',
  },
  'temporal-ui-server': {
    what: "Temporal's UI",
    program: 'github.com/temporalio/ui-server/v2/cmd/server',
    version: 'v2.42.1',
    variable: 'TEMPORAL_UI_SERVER_PATH',
  },
  caddy: {
    what: 'Caddy',
    program: 'github.com/caddyserver/caddy/v2/cmd/caddy',
    version: 'v2.10.2',
    variable: 'CADDY_PATH',
  },
} as const satisfies Record<string, GoTool>

/** Finds or builds a program. @returns its path. */
export function resolveGoTool(
  name: keyof typeof GO_TOOLS,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  aborted?: AbortSignal,
): Promise<string> {
  const { what, program, version, variable } = GO_TOOLS[name]
  const cached = join(cacheFolder(`${name}-${version}`), name)
  return resolveBinary(
    { what, advice: `Install Go 1.24 or later, or set ${variable} to the program.` },
    [
      fromVariable(env, variable),
      fromCache(cached),
      {
        name: `go install ${program}@${version}`,
        slow: 'building with `go install`; this takes a few minutes, once',
        // In a separate folder, because several programs are called "server".
        find: () =>
          makeInPlace(cached, async (folder) => {
            await run('go', ['install', `${program}@${version}`], { env: { GOBIN: folder, GOFLAGS: '' }, say, aborted })
          }),
      },
    ],
    say,
    aborted,
  )
}
