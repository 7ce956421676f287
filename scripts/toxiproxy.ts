import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache.ts'
import { fromCache, fromVariable, resolveBinary } from './resolve.ts'
import { run } from './run.ts'

const VERSION = 'v2.5.0'
const PACKAGE = `github.com/Shopify/toxiproxy/v2/cmd/server@${VERSION}`

/** Finds or gets toxiproxy, which stands between the parts in the fault suite. @returns its path. */
export function resolveToxiproxy(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const folder = cacheFolder(`toxiproxy-${VERSION}`)
  const cached = join(folder, 'toxiproxy-server')
  return resolveBinary(
    'Toxiproxy',
    [
      fromVariable(env, 'TOXIPROXY_PATH'),
      fromCache(cached),
      {
        name: `go install ${PACKAGE}`,
        slow: 'is built with `go install`, once',
        async find() {
          await run('go', ['install', PACKAGE], { env: { GOBIN: folder, GOFLAGS: '' }, say })
          // Its package is called "server", as is Temporal's.
          const built = join(folder, 'server')
          if (existsSync(built)) renameSync(built, cached)
          return cached
        },
      },
    ],
    'Please install Go 1.24 or later, or set TOXIPROXY_PATH to a toxiproxy-server.',
    say,
  )
}
