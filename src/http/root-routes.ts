import { readFile } from 'node:fs/promises'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { version } from '../platform/version.ts'
import type { ApiState } from './state.ts'

/** Packages that `npm run prepare` builds. */
const ARCHIVES = {
  '/client.tgz': new URL('../../dist/client.tgz', import.meta.url),
  '/cli.tgz': new URL('../../dist/cli.tgz', import.meta.url),
  '/testing.tgz': new URL('../../dist/testing.tgz', import.meta.url),
}

/** The package for pip. Its name in the index has the version. */
const WHEEL = new URL('../../dist/python.whl', import.meta.url)
const WHEEL_NAME = `dripline_client-${version}-py3-none-any.whl`

/** Serves an overview of the service's addresses at the root, and the matching packages. They need no key. */
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
    cli: '/cli.tgz',
    testing: '/testing.tgz',
    python: '/python',
    health: '/healthz',
    readiness: '/readyz',
  }
  router.get('/', async (ctx) => {
    if (!(await servePage(ctx))) ctx.body = places
  })

  router.get('/python', (ctx) => {
    ctx.type = 'html'
    ctx.body = `<!doctype html>\n<title>Packages</title>\n<a href="/python/${WHEEL_NAME}">${WHEEL_NAME}</a>\n`
  })

  for (const [path, archive] of Object.entries({ ...ARCHIVES, [`/python/${WHEEL_NAME}`]: WHEEL })) {
    router.get(path, async (ctx) => {
      try {
        ctx.body = await readFile(archive)
        ctx.type = 'application/gzip'
      } catch {
        ctx.status = 404
        ctx.body = { error: 'The package is not built. Run "npm run prepare" with the development dependencies.' }
      }
    })
  }
}
