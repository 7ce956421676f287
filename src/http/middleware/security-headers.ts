import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** No answer is taken for another type than it says, and what holds somebody's data is stored nowhere on its way. */
export const securityHeaders = (basePath: string): Middleware<ApiState> =>
  async function securityHeaders(ctx, next) {
    ctx.set('X-Content-Type-Options', 'nosniff')
    // Routes are found whatever the case of a path is.
    const path = ctx.path.toLowerCase()
    if (path === basePath || path.startsWith(`${basePath}/`)) ctx.set('Cache-Control', 'no-store')
    await next()
  }
