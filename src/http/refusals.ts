import { KEY_REFUSALS } from '../workspaces/index.ts'

/** What any operation can be refused with: the service says it, and the OpenAPI document quotes it. */
export const BUSY = 'Too many requests of this workspace or address are at work at the moment; please try again'
export const DATABASE_UNAVAILABLE = 'The database is not available at the moment; please try again'
export const TEMPORAL_UNAVAILABLE = 'Temporal is not available at the moment; please try again'
export const CONFLICT = 'The request met another one on the same data, and nothing was done; please try again'
export const BODY_TOO_LARGE = 'Request body too large'
export const NO_JSON_OBJECT = 'The request body must be a JSON object'
export const KEY_IN_PROGRESS = 'A request with this Idempotency-Key is still in progress; ask again in a moment'
export const KEY_USED_OTHERWISE =
  'This Idempotency-Key was used with another request in the last 24 hours; use a new one'
export const DONE_FOR_ERASED =
  'The request with this Idempotency-Key was done, and its contact has been erased since; it is not done again. ' +
  'Use a new key to do it anew'

export const rateLimitExceeded = (retryAfter: number) => `Rate limit exceeded. Retry after ${retryAfter} seconds.`
export const missingScope = (scope: string) => `Missing required scope: ${scope}`
export const internalError = (requestId: string) =>
  `Internal server error; please try again, and mention request ${requestId} if it stays`

interface Described {
  description: string
  messages: readonly string[]
}

/** Refusals that can meet any operation, by status. */
export const COMMON_REFUSALS: Record<number, Described> = {
  401: {
    description: 'The key is missing, invalid or revoked, or may not be used from this address.',
    messages: Object.values(KEY_REFUSALS),
  },
  429: { description: 'Too many requests.', messages: [rateLimitExceeded(7)] },
  500: {
    description: 'Something went wrong here. Try again, with growing pauses.',
    messages: [internalError('8f14e45f')],
  },
  503: {
    description: 'Something that is needed is not reachable at the moment. Try again.',
    messages: [DATABASE_UNAVAILABLE, TEMPORAL_UNAVAILABLE, BUSY, CONFLICT],
  },
}

/** Refusals of those that take an Idempotency-Key. */
export const IDEMPOTENCY_REFUSALS: Record<number, Described> = {
  409: { description: 'The request with this Idempotency-Key is still in progress.', messages: [KEY_IN_PROGRESS] },
  410: {
    description: 'The request with this Idempotency-Key was done for a contact who has been erased since.',
    messages: [DONE_FOR_ERASED],
  },
  422: { description: 'The Idempotency-Key was used with another request.', messages: [KEY_USED_OTHERWISE] },
}
