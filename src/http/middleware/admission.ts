import { rateLimited } from '../refusals.ts'
import type { Context, Middleware } from 'koa'
import { onBehalfOf } from '../../platform/db/pool-shares.ts'
import { clientAddress } from '../../platform/address-ranges.ts'
import { Refusal } from '../../platform/refusal.ts'
import { createAdmission, type RateLimit } from '../../workspaces/index.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { ApiState } from '../state.ts'

/** Finds the key of a request and its workspace, counts the request, and says in the answer what is left. */
export const admission = ({ em, trustedProxies }: ApiDependencies): Middleware<ApiState> => {
  const admit = createAdmission(em)
  return async function admission(ctx, next) {
    const { req } = ctx
    const forwarded = req.headers['x-forwarded-for']
    const address = clientAddress(req.socket.remoteAddress, [forwarded].flat().join(',') || undefined, trustedProxies)
    const { caller, rateLimit } = await admit(keyOf(ctx), address)
    setHeaders(ctx, rateLimit)
    if (!rateLimit.allowed) {
      throw rateLimited(rateLimit.retryAfter)
    }
    if (caller instanceof Refusal) throw caller
    ctx.state.caller = caller
    // From here on it takes of its workspace's share of the sessions with Postgres.
    await onBehalfOf(caller.workspace.id, next)
  }
}

/** Where both headers are there, `Authorization` wins. Of its schemes only Bearer carries a key. */
function keyOf(ctx: Context): string {
  const authorization = ctx.get('Authorization')
  return authorization ? (/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '') : ctx.get('x-api-key')
}

/** What is left of the limit, in headers. Times are rounded up: neither header ever says too early. */
function setHeaders(ctx: Context, { allowed, limit, remaining, resetAt, retryAfter }: RateLimit): void {
  ctx.set('X-RateLimit-Limit', String(limit))
  ctx.set('X-RateLimit-Remaining', String(remaining))
  ctx.set('X-RateLimit-Reset', String(Math.ceil(resetAt.getTime() / 1000)))
  if (!allowed) ctx.set('Retry-After', String(retryAfter))
}
