/** What kind of refusal it is. The API turns each into its status; nothing else about HTTP is known here. */
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

/** Why something is refused. Programs go by the code, which never changes once it is released; people by the message. */
export interface ErrorDefinition {
  readonly kind: ErrorKind
  readonly code: string
  /** In words. Where they hold what was given, an example of them. */
  readonly message: string
}

export const defineError = (kind: ErrorKind, code: string, message: string): ErrorDefinition => ({
  kind,
  code,
  message,
})

/** What is told beyond the reason. */
export interface ErrorDetails {
  /** The words, where they are others than the reason's own. */
  message?: string | undefined
  /** Where it is, of what was given: a JSON pointer (RFC 6901) into the body, or into the query as an object. */
  param?: string | undefined
  /** After how many seconds it may go well, where somebody knows. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** An error whose message is for the caller: what was wrong, where, and what would be right. */
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

/** What was given is not as it should be. */
export const INVALID_REQUEST = defineError('invalid', 'invalid_request', 'email is required')
/** What has no reason of its own, because nobody but a person at a command line asks for it. */
export const NOT_FOUND = defineError(
  'not-found',
  'not_found',
  'There is no API key 0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e',
)

/** Others of the same workspace, key or address are before it: it has not been begun. */
export const BUSY = defineError(
  'unavailable',
  'busy',
  'Too many requests of this workspace or address are at work at the moment; please try again',
)
/** Another request was before it, on the same data. */
export const CONFLICT = defineError(
  'unavailable',
  'conflict',
  'The request met another one on the same data, and nothing was done; please try again',
)
export const TEMPORAL_UNAVAILABLE = defineError(
  'unavailable',
  'temporal_unavailable',
  'Temporal is not available at the moment; please try again',
)
/** What was asked is done; but an email was on its way to the mail server, and may still arrive. */
export const STILL_SENDING = defineError(
  'unavailable',
  'still_sending',
  'The contact is erased and no further email is sent to it, but one is still being handed to the mail server. ' +
    'Send this request again to learn when it is settled.',
)

export const invalid = (message: string, param?: string): ApiError => new ApiError(INVALID_REQUEST, { message, param })
export const notFound = (message: string): ApiError => new ApiError(NOT_FOUND, { message })

/** Of what would be promised, and taken back, where it may have been done since the backup. */
export const NOT_RECONCILED = defineError(
  'unavailable',
  'not_reconciled',
  'This instance was restored from a backup, and sends nothing until its operator has reconciled it: ask again then',
)
