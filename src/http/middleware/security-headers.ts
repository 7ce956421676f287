import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** Forbids browsers to guess content types, and caches to store responses with personal data. */
export const securityHeaders = (basePath: string): Middleware<ApiState> =>
  async function securityHeaders(ctx, next) {
    ctx.set('X-Content-Type-Options', 'nosniff')
    // Routes are matched regardless of case.
    const path = ctx.path.toLowerCase()
    if (path === basePath || path.startsWith(`${basePath}/`)) ctx.set('Cache-Control', 'no-store')
    await next()
  }
