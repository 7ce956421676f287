import type { Middleware } from 'koa'
import {
  isConflict,
  isDatabaseUnavailable,
  isOutcomeUnknown,
  isTooExpensive,
  violatedConstraint,
} from '../../platform/db/errors.ts'
import {
  ApiError,
  CONFLICT,
  type ErrorDefinition,
  OUTCOME_UNKNOWN,
  TEMPORAL_UNAVAILABLE,
  TOO_EXPENSIVE,
} from '../../platform/api-error.ts'
import type { Log } from '../../outbox/index.ts'
import { isTemporalUnavailable } from '../../temporal/index.ts'
import { responseToError } from '../error-response.ts'
import { DATABASE_UNAVAILABLE, internalError, PATH_NOT_FOUND, hasRetryAfter } from '../errors.ts'
import type { ApiState } from '../state.ts'

/** The errors for violated constraints of the schema, by the constraint's name, and the field of each. */
export type Limits = Readonly<Record<string, ErrorDefinition & { param?: string }>>

/** Transient errors: how to detect one, its log message, and the response. */
const TRANSIENT: readonly [is: (error: unknown) => boolean, line: string, reason: ErrorDefinition][] = [
  [isOutcomeUnknown, 'Postgres did not confirm a COMMIT', OUTCOME_UNKNOWN],
  [isTooExpensive, 'A statement took too long', TOO_EXPENSIVE],
  [isDatabaseUnavailable, 'Postgres is not available', DATABASE_UNAVAILABLE],
  [isConflict, 'A request conflicted with a concurrent one', CONFLICT],
  [isTemporalUnavailable, 'Temporal is not available', TEMPORAL_UNAVAILABLE],
]

/** Callers often omit the prefix of all paths. */
const hint = (path: string): string => (path.startsWith('/api/') ? '' : '. Paths of the API start with /api/v1')

/**
 * Turns errors into responses, for all operations: `{ "error": … }`, and headers for programs. An error that the caller can fix
 * is described in full. The response to any other error is generic, and the log has the details under the request's ID.
 */
export const errors = (log: Log, limits: Limits): Middleware<ApiState> =>
  async function errors(ctx, next) {
    try {
      await next()
      if (ctx.status !== 404 || ctx.body !== undefined) return
      throw new ApiError(PATH_NOT_FOUND, {
        message: `Not found: ${ctx.method} ${shorten(ctx.path)}${hint(ctx.path)}`,
      })
    } catch (error) {
      const apiError = toApiError(error, ctx.state.requestId)
      const { status, headers = {}, body } = responseToError(apiError)
      ctx.status = status
      ctx.set(headers)
      ctx.body = body
      if (apiError.retryAfter !== undefined) ctx.set('Retry-After', String(apiError.retryAfter))
      else if (hasRetryAfter(apiError.kind)) ctx.set('Retry-After', '1')
    }

    function toApiError(error: unknown, requestId: string): ApiError {
      if (error instanceof ApiError) return error
      const limit = limits[violatedConstraint(error) ?? '']
      if (limit) return new ApiError(limit, { param: limit.param })
      const [, line, definition] = TRANSIENT.find(([is]) => is(error)) ?? []
      if (definition === undefined) {
        log.error({ requestId, error }, 'Request failed')
        return internalError(requestId)
      }
      log.warn({ requestId, error }, line!)
      return new ApiError(definition)
    }
  }

/** The path comes from the caller and can be long. */
const shorten = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
