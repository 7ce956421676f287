/** Requests a minute, per API key unless it has a limit of its own. */
export const DEFAULT_RATE_LIMIT = 120

/** What a request was told by its window of sixty seconds. */
export interface RateLimit {
  allowed: boolean
  /** Requests a minute. */
  limit: number
  /** Requests left in the window. */
  remaining: number
  /** When the window is empty again if no further request is made. */
  resetAt: Date
  /** Whole seconds after which a refused request would be let in; never too few. */
  retryAfter: number
}
