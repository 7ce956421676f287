import {
  BUSY,
  CONFLICT,
  OUTCOME_UNKNOWN,
  TOO_EXPENSIVE,
  NOT_RECONCILED,
  type ErrorDefinition,
  defineError,
  ApiError,
  type ErrorKind,
  STILL_SENDING,
  TEMPORAL_UNAVAILABLE,
} from '../platform/api-error.ts'
import type { Role } from './roles.ts'

/** Errors of API keys that are not accepted. */
export const KEY_ERRORS = {
  missing: defineError(
    'unauthenticated',
    'key_missing',
    'API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"',
  ),
  malformed: defineError('unauthenticated', 'key_malformed', 'Invalid API key: it is incomplete or mistyped'),
  'unknown-key': defineError('unauthenticated', 'key_unknown', 'API key not found or has been revoked'),
  expired: defineError('unauthenticated', 'key_expired', 'API key has expired'),
  'wrong-address': defineError('unauthenticated', 'ip_not_allowed', 'API key not allowed from this IP address'),
} as const

/** Errors that any operation can return. The OpenAPI document quotes them. */
export const DATABASE_UNAVAILABLE = defineError(
  'unavailable',
  'database_unavailable',
  'The database is currently unavailable. Please try again.',
)
export const MALFORMED_JSON = defineError('invalid', 'malformed_json', 'Malformed JSON: Unexpected end of JSON input')
export const BODY_TOO_LARGE = defineError('invalid', 'body_too_large', 'Request body too large')
export const BODY_NOT_AN_OBJECT = defineError('invalid', 'body_not_an_object', 'The request body must be a JSON object')
export const WRONG_CONTENT_TYPE = defineError(
  'invalid',
  'wrong_content_type',
  'The header Content-Type must be application/json',
)
export const UNKNOWN_PARAMETER = defineError(
  'invalid',
  'unknown_parameter',
  '"force" is not a query parameter of this operation; it has none',
)
export const PATH_NOT_FOUND = defineError('not-found', 'path_not_found', 'Not found: GET /api/v1/contact')
export const METHOD_NOT_ALLOWED = defineError(
  'wrong-method',
  'method_not_allowed',
  'PUT is not allowed for this path. Allowed: GET, HEAD, POST',
)
export const INVALID_IDEMPOTENCY_KEY = defineError(
  'invalid',
  'invalid_idempotency_key',
  'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID',
)
export const KEY_IN_PROGRESS = defineError(
  'in-flight',
  'idempotency_key_in_progress',
  'A request with this Idempotency-Key is still in progress. Try again in a moment.',
)
export const IDEMPOTENCY_KEY_REUSED = defineError(
  'other-request',
  'idempotency_key_reused',
  'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.',
)
export const CONTACT_ERASED = defineError(
  'erased',
  'contact_erased',
  'The request with this Idempotency-Key was processed, but its contact has since been erased. ' +
    'It is not repeated. Use a new key to send it again.',
)

/**
 * The error of a PATCH request that changes nothing.
 * @param fields the fields that can be updated
 * @param more a hint to append
 */
export const nothingToUpdate = (fields: readonly string[], more = '') =>
  defineError(
    'invalid',
    'nothing_to_update',
    `No updatable fields provided. Give at least one of ${fields.join(', ')}${more}`,
  )

/** Returns whether an immediate retry can succeed. */
export const hasRetryAfter = (kind: ErrorKind): boolean => kind === 'unavailable' || kind === 'in-flight'

/** Maximum number of query parameters, far more than any operation has. */
export const MAX_PARAMETERS = 100
export const TOO_MANY_PARAMETERS = `The query must not have more than ${MAX_PARAMETERS} parameters`

const rateLimitMessage = (retryAfter: number) => `Rate limit exceeded. Retry after ${retryAfter} seconds.`
const RATE_LIMITED = defineError('rate-limited', 'rate_limited', rateLimitMessage(7))
export const rateLimited = (retryAfter: number) =>
  new ApiError(RATE_LIMITED, { message: rateLimitMessage(retryAfter), retryAfter })

const scopeMessage = (scope: string) => `Missing required scope: ${scope}`
export const missingScope = (scope: string) => defineError('forbidden', 'scope_missing', scopeMessage(scope))

/** The error for an API key that calls an operation for people. */
export const PEOPLE_ONLY = defineError(
  'forbidden',
  'people_only',
  'This operation is for people who are signed in. It cannot be called with an API key',
)
export const KEYS_ONLY = defineError('forbidden', 'keys_only', 'This request needs an API key. It has none')
const roleMessage = (role: Role) => `This requires the role ${role} in the workspace`
export const missingRole = (role: Role) => defineError('forbidden', 'role_missing', roleMessage(role))

/** Errors for browsers. */
export const SIGNED_OUT = defineError('unauthenticated', 'signed_out', 'You are signed out. Sign in again.')
export const WORKSPACE_MISSING = defineError(
  'invalid',
  'workspace_missing',
  'The header X-Workspace-Id is missing. It selects one of your workspaces',
)
export const NOT_A_MEMBER = defineError(
  'forbidden',
  'not_a_member',
  'The workspace does not exist, or you are not a member of it',
)

const errorInWords = (requestId: string) =>
  `Internal server error. Please try again, and report request ${requestId} if it happens again.`
const INTERNAL_ERROR = defineError('failed', 'internal_error', errorInWords('8f14e45f'))
export const internalError = (requestId: string) => new ApiError(INTERNAL_ERROR, { message: errorInWords(requestId) })

interface Described {
  description: string
  reasons: readonly ErrorDefinition[]
}

/** Errors that any operation can return, by status. */
export const COMMON_ERRORS: Record<number, Described> = {
  401: {
    description:
      'The key is missing, invalid or revoked, or may not be used from this address; or the session has ended.',
    reasons: [...Object.values(KEY_ERRORS), SIGNED_OUT],
  },
  429: { description: 'Too many requests.', reasons: [RATE_LIMITED] },
  500: {
    description: 'Internal error. Try again with exponential backoff, unless the code is `too_expensive`.',
    reasons: [INTERNAL_ERROR, TOO_EXPENSIVE],
  },
  503: {
    description: 'A required service is currently unavailable. Try again.',
    reasons: [
      DATABASE_UNAVAILABLE,
      TEMPORAL_UNAVAILABLE,
      BUSY,
      CONFLICT,
      OUTCOME_UNKNOWN,
      STILL_SENDING,
      NOT_RECONCILED,
    ],
  },
}

/** Errors of operations that take an Idempotency-Key. */
export const IDEMPOTENCY_ERRORS: Record<number, Described> = {
  409: { description: 'The request with this Idempotency-Key is still in progress.', reasons: [KEY_IN_PROGRESS] },
  410: {
    description: 'The request with this Idempotency-Key was processed for a contact who has since been erased.',
    reasons: [CONTACT_ERASED],
  },
  422: { description: 'The Idempotency-Key was used with another request.', reasons: [IDEMPOTENCY_KEY_REUSED] },
}

export const RECENT_SIGN_IN_REQUIRED = defineError(
  'unauthenticated',
  'sign_in_again',
  'You must have signed in within the last ten minutes. Sign out, then sign in again.',
)
