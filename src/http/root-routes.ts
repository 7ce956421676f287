import { readFile } from 'node:fs/promises'
import type Router from '@koa/router'
import type { Context } from 'koa'
import type { ApiState } from './state.ts'

/** `@dripline/client` as an npm package; `scripts/prepare/client.ts` builds it when the package is installed. */
const CLIENT = new URL('../../dist/client.tgz', import.meta.url)

/** Serves an overview of the service's addresses at the root, and the matching client package. They need no key. */
export function rootRoutes(
  router: Router<ApiState>,
  basePath: string,
  servePage: (ctx: Context) => Promise<boolean>,
): void {
  const places = {
    service: 'Dripline',
    api: basePath,
    reference: '/docs',
    openapi: `${basePath}/openapi.json`,
    client: '/client.tgz',
    health: '/healthz',
    readiness: '/readyz',
  }
  router.get('/', async (ctx) => {
    if (!(await servePage(ctx))) ctx.body = places
  })

  router.get('/client.tgz', async (ctx) => {
    try {
      ctx.body = await readFile(CLIENT)
      ctx.type = 'application/gzip'
    } catch {
      ctx.status = 404
      ctx.body = { error: 'The client is not built. Run "npm run prepare" with the development dependencies.' }
    }
  })
}
