import type { Middleware } from 'koa'
import { rateLimited } from '../errors.ts'
import type { ApiState } from '../state.ts'

/** Reports the window of the credential or address in headers, and rejects requests beyond its limit. */
export const rateLimit = (): Middleware<ApiState> =>
  async function rateLimit(ctx, next) {
    const { allowed, limit, remaining, resetAt, retryAfter } = ctx.state.rateLimit
    ctx.set('X-RateLimit-Limit', String(limit))
    ctx.set('X-RateLimit-Remaining', String(remaining))
    // Rounded up, so that no client retries too early.
    ctx.set('X-RateLimit-Reset', String(Math.ceil(resetAt.getTime() / 1000)))
    if (!allowed) throw rateLimited(retryAfter)
    await next()
  }
