import { createHash } from 'node:crypto'
import { newId } from '../../platform/ids.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { takeIdempotencyKey } from '../idempotency-queries.ts'
import { IdempotentAttempt } from '../idempotent-attempt.ts'
import { type Operation, takesIdempotencyKey } from '../operation.ts'
import { CONTACT_ERASED, INVALID_IDEMPOTENCY_KEY, KEY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED } from '../errors.ts'
import { respond } from '../respond.ts'
import { type ApiContext, type ApiMiddleware, callerOf } from '../state.ts'

export const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/

/**
 * Runs a request once for each Idempotency-Key in 24 hours. A repeated request gets the stored response. The handler stores it in the
 * same transaction as its effect. Responses of 5xx are not stored, because they ask the client to try again.
 *
 * @throws {ApiError} `idempotency_key_reused` (422), `idempotency_key_in_progress` (409), `contact_erased` (410)
 */
export function idempotency(operation: Operation, { em }: Pick<ApiDependencies, 'em'>): ApiMiddleware {
  return async function idempotency(ctx, next) {
    const key = ctx.req.headers['idempotency-key'] as string | undefined
    if (key === undefined || !takesIdempotencyKey(operation)) return void (await next())
    if (!IDEMPOTENCY_KEY.test(key)) throw new ApiError(INVALID_IDEMPOTENCY_KEY)
    const workspaceId = callerOf(ctx).workspace.id
    const fingerprint = fingerprintOf(ctx)
    const taken = await takeIdempotencyKey(em.fork(), workspaceId, key, { id: newId(), fingerprint })
    if (taken.kind === 'erased') throw new ApiError(CONTACT_ERASED)
    if (taken.kind !== 'mine' && !taken.sameRequest) throw new ApiError(IDEMPOTENCY_KEY_REUSED)
    if (taken.kind === 'in-flight') throw new ApiError(KEY_IN_PROGRESS)
    if (taken.kind === 'answered') {
      ctx.set('Idempotent-Replayed', 'true')
      return respond(ctx, taken)
    }
    const attempt = new IdempotentAttempt({ ...taken, workspaceId, key }, taken.retried)
    ctx.state.attempt = attempt
    try {
      await next()
    } catch (error) {
      // If this fails as well, the lease ends by itself.
      await attempt.fail(em.fork(), error).catch(() => undefined)
      throw error
    }
  }
}

/** Identifies a request. The scopes are a part of it, because the response contains more for a caller that may read more. */
function fingerprintOf(ctx: ApiContext): Buffer {
  const scopes = callerOf(ctx).scopes.toSorted().join(' ')
  return createHash('sha256')
    .update(`${ctx.method} ${ctx.path} ${scopes}\n${ctx.state.body?.raw ?? ''}`)
    .digest()
}
