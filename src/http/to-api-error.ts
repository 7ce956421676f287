import {
  isConflict,
  isDatabaseUnavailable,
  isOutcomeUnknown,
  isTooExpensive,
  violatedConstraint,
} from '../platform/db/errors.ts'
import {
  ApiError,
  CONFLICT,
  type ErrorDefinition,
  OUTCOME_UNKNOWN,
  TEMPORAL_UNAVAILABLE,
  TOO_EXPENSIVE,
} from '../platform/api-error.ts'
import type { Log } from '../outbox/index.ts'
import { isTemporalUnavailable } from '../temporal/index.ts'
import { DATABASE_UNAVAILABLE, internalError } from './errors.ts'

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

export type ToApiError = (error: unknown, requestId: string) => ApiError

/**
 * Turns any error into one for the caller. An error that the caller can fix is described in full. Any other error is generic, and the
 * log has the details under the request's ID.
 */
export const createErrorReader = (log: Log, limits: Limits): ToApiError =>
  function toApiError(error, requestId) {
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
