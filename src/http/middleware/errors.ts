import type { Middleware } from 'koa'
import { isConflict, isDatabaseUnavailable, isShareUsedUp, violatedConstraint } from '../../platform/db/errors.ts'
import { Refusal, type RefusalCode } from '../../platform/refusal.ts'
import type { Log } from '../../outbox/index.ts'
import { isTemporalUnavailable } from '../../platform/temporal/errors.ts'
import { BUSY, CONFLICT, DATABASE_UNAVAILABLE, internalError, TEMPORAL_UNAVAILABLE } from '../refusals.ts'
import type { ApiState } from '../state.ts'

export const STATUSES = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'in-flight': 409,
  erased: 410,
  'other-request': 422,
  'rate-limited': 429,
  unavailable: 503,
} as const satisfies Record<RefusalCode, number>

/** What a caller is told whose writing a constraint of the schema has refused, by the constraint's name. */
export type Limits = Readonly<Record<string, string>>

/**
 * The one place where errors become answers: `{ "error": … }`. What the caller can mend is
 * told in full; of everything else only that it went wrong, and the log has the rest under the request's id.
 */
export const errors = (log: Log, limits: Limits): Middleware<ApiState> =>
  async function errors(ctx, next) {
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined)
        answer(404, `There is nothing at ${ctx.method} ${shown(ctx.path)}`)
    } catch (error) {
      const { requestId } = ctx.state
      const constraint = violatedConstraint(error)
      if (error instanceof Refusal) {
        answer(STATUSES[error.code], error.message)
      } else if (constraint !== undefined && limits[constraint] !== undefined) {
        answer(400, limits[constraint])
      } else if (isShareUsedUp(error)) {
        log.warn({ requestId, error }, 'A workspace, or an address, has more requests at work than its share')
        answer(503, BUSY)
      } else if (isDatabaseUnavailable(error)) {
        log.warn({ requestId, error }, 'Postgres is not available')
        answer(503, DATABASE_UNAVAILABLE)
      } else if (isConflict(error)) {
        log.warn({ requestId, error }, 'A request lost against another one')
        answer(503, CONFLICT)
      } else if (isTemporalUnavailable(error)) {
        log.warn({ requestId, error }, 'Temporal is not available')
        answer(503, TEMPORAL_UNAVAILABLE)
      } else {
        log.error({ requestId, error }, 'A request failed')
        answer(500, internalError(requestId))
      }
      if (ctx.status === 503 || ctx.status === 409) ctx.set('Retry-After', '1')
    }

    function answer(status: number, message: string): void {
      ctx.status = status
      ctx.body = { error: message }
    }
  }

/** A path is the caller's, and can be long. */
const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
