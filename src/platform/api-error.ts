/** The category of an error. The API maps each one to an HTTP status; this module knows nothing else about HTTP. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'wrong-method'
  | 'taken'
  | 'changed'
  | 'in-flight'
  | 'erased'
  | 'other-request'
  | 'rate-limited'
  | 'failed'
  | 'unavailable'

/**
 * An error that the API returns. Programs rely on the code, which never changes after its first release. The message is for
 * people.
 */
export interface ErrorDefinition {
  readonly kind: ErrorKind
  readonly code: string
  /** The message. If it depends on the request, this is an example. */
  readonly message: string
}

export const defineError = (kind: ErrorKind, code: string, message: string): ErrorDefinition => ({
  kind,
  code,
  message,
})

/** Details of one occurrence of an error. */
export interface ErrorDetails {
  /** The message, if it differs from the one in the definition. */
  message?: string | undefined
  /** The location in the request: a JSON pointer (RFC 6901) into the body, or into the query as an object. */
  param?: string | undefined
  /** Seconds after which a retry may succeed, if known. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** An error whose message is for the caller: what is wrong, where, and what would be valid. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: ErrorKind
  readonly code: string
  readonly param: string | undefined
  readonly retryAfter: number | undefined

  constructor(
    { kind, code, message: words }: ErrorDefinition,
    { message = words, param, retryAfter, cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.kind = kind
    this.code = code
    this.param = param
    this.retryAfter = retryAfter
  }
}

/** The request is invalid. */
export const INVALID_REQUEST = defineError('invalid', 'invalid_request', 'email is required')
/** For resources without their own error, because only operators at the command line look for them. */
const NOT_FOUND = defineError('not-found', 'not_found', 'There is no API key 0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e')

/** Other requests of the same workspace, key or address are running. This request has not started. */
export const BUSY = defineError(
  'unavailable',
  'busy',
  'Too many concurrent requests of this workspace or address. Please try again.',
)
/** A concurrent request changed the same data first. */
export const CONFLICT = defineError(
  'unavailable',
  'conflict',
  'The request conflicted with a concurrent one on the same data, and nothing was changed. Please try again.',
)
/** A statement reached the time limit while it was not waiting for a lock. Another attempt would take as long. */
export const TOO_EXPENSIVE = defineError(
  'failed',
  'too_expensive',
  'The query took too long, and nothing was changed. If it has a condition or a segment, simplify it: ' +
    'use fewer nested segments, or count events over fewer days.',
)
/** The connection was lost, or the time was up, before Postgres confirmed a COMMIT. */
export const OUTCOME_UNKNOWN = defineError(
  'unavailable',
  'outcome_unknown',
  'The database did not confirm the change in time, so it may or may not have happened. Send the same request again, ' +
    'with the same Idempotency-Key, to find out.',
)
export const TEMPORAL_UNAVAILABLE = defineError(
  'unavailable',
  'temporal_unavailable',
  'Temporal is currently unavailable. Please try again.',
)
/** The request has taken effect, but an email is in flight and may still arrive. */
export const STILL_SENDING = defineError(
  'unavailable',
  'still_sending',
  'The contact is erased and gets no further email, but one is still in flight. ' +
    'Repeat this request to find out when its status is final.',
)

export const invalid = (message: string, param?: string): ApiError => new ApiError(INVALID_REQUEST, { message, param })
export const notFound = (message: string): ApiError => new ApiError(NOT_FOUND, { message })

/** For guarantees that a restored instance cannot give, because the opposite may have happened after the backup. */
export const NOT_RECONCILED = defineError(
  'unavailable',
  'not_reconciled',
  'This instance was restored from a backup and sends nothing until its operator reconciles it. Try again after that.',
)
