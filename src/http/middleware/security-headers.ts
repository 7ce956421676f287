import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** Keeps browsers from guessing content types, and caches from storing responses with personal data. */
export const securityHeaders = (basePath: string): Middleware<ApiState> =>
  async function securityHeaders(ctx, next) {
    ctx.set('X-Content-Type-Options', 'nosniff')
    // Routes match regardless of case.
    const path = ctx.path.toLowerCase()
    if (path === basePath || path.startsWith(`${basePath}/`)) ctx.set('Cache-Control', 'no-store')
    await next()
  }
