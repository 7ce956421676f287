import type Router from '@koa/router'
import type { ApiDependencies } from '../http/index.ts'
import { createFileCache } from './file-cache.ts'
import { findContent } from './queries.ts'
import { hashOfName } from './urls.ts'

/** Serves the files that emails show. The content of a URL never changes, so that proxies of mail clients keep it. */
export function mediaPages(router: Router<never>, { em }: ApiDependencies): void {
  const read = createFileCache((hash) => findContent(em.fork(), hash))
  router.get('/m/:name', async (ctx) => {
    const hash = hashOfName(ctx.params['name']!)
    const file = hash === undefined ? undefined : await read(hash)
    if (!file) {
      ctx.status = 404
      ctx.type = 'text/plain'
      ctx.body = 'There is no such image.'
      return
    }
    ctx.status = 200
    ctx.type = file.type
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
    ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    ctx.body = file.content
  })
}
