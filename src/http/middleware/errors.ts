import type { Middleware } from 'koa'
import { isConflict, isDatabaseUnavailable, violatedConstraint } from '../../platform/db/errors.ts'
import { CONFLICT, type ErrorDefinition, ApiError, TEMPORAL_UNAVAILABLE } from '../../platform/api-error.ts'
import type { Log } from '../../outbox/index.ts'
import { isTemporalUnavailable } from '../../temporal/index.ts'
import { answerTo } from '../error-response.ts'
import { DATABASE_UNAVAILABLE, internalError, PATH_NOT_FOUND, tellsWhenToRetry } from '../errors.ts'
import type { ApiState } from '../state.ts'

/** What a caller is told whose writing a constraint of the schema has refused, by the constraint's name, and where it is. */
export type Limits = Readonly<Record<string, ErrorDefinition & { param?: string }>>

/** What goes wrong here, and may go right later: how it is known, what the log says, and what the caller is told. */
const PASSING: readonly [is: (error: unknown) => boolean, line: string, reason: ErrorDefinition][] = [
  [isDatabaseUnavailable, 'Postgres is not available', DATABASE_UNAVAILABLE],
  [isConflict, 'A request lost against another one', CONFLICT],
  [isTemporalUnavailable, 'Temporal is not available', TEMPORAL_UNAVAILABLE],
]

/** Whoever has left out the beginning of all paths looks for it elsewhere. */
const hint = (path: string): string => (path.startsWith('/api/') ? '' : '. Paths of the API begin with /api/v1')

/**
 * The one place where errors become answers: `{ "error": … }`, and in headers what programs go by. What the caller can mend
 * is told in full; of everything else only that it went wrong, and the log has the rest under the request's id.
 */
export const errors = (log: Log, limits: Limits): Middleware<ApiState> =>
  async function errors(ctx, next) {
    try {
      await next()
      if (ctx.status !== 404 || ctx.body !== undefined) return
      throw new ApiError(PATH_NOT_FOUND, {
        message: `There is nothing at ${ctx.method} ${shown(ctx.path)}${hint(ctx.path)}`,
      })
    } catch (error) {
      const refusal = refusalOf(error, ctx.state.requestId)
      const { status, headers = {}, body } = answerTo(refusal)
      ctx.status = status
      ctx.set(headers)
      ctx.body = body
      if (refusal.retryAfter !== undefined) ctx.set('Retry-After', String(refusal.retryAfter))
      else if (tellsWhenToRetry(refusal.kind)) ctx.set('Retry-After', '1')
    }

    function refusalOf(error: unknown, requestId: string): ApiError {
      if (error instanceof ApiError) return error
      const limit = limits[violatedConstraint(error) ?? '']
      if (limit) return new ApiError(limit, { param: limit.param })
      const [, line, reason] = PASSING.find(([is]) => is(error)) ?? []
      if (reason === undefined) {
        log.error({ requestId, error }, 'A request failed')
        return internalError(requestId)
      }
      log.warn({ requestId, error }, line!)
      return new ApiError(reason)
    }
  }

/** A path is the caller's, and can be long. */
const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
