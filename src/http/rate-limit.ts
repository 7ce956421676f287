/** Requests per minute for API keys without a limit of their own. */
export const DEFAULT_RATE_LIMIT = 120

/** The state of a rate limit window of 60 seconds after a request. */
export interface RateLimit {
  allowed: boolean
  /** Requests per minute. */
  limit: number
  /** Requests remaining in the window. */
  remaining: number
  /** When the window will be empty again if no further request is made. */
  resetAt: Date
  /** Whole seconds after which a rejected request would be accepted, rounded up. */
  retryAfter: number
}
