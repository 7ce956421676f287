import type { PublicResponse } from '../platform/public-request.ts'
import { readRetryAfter } from '../platform/retry-after.ts'

const SECOND_MS = 1_000
const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds until the next attempt, about three days in all. */
export const RETRY_SECONDS = [10, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR]
export const MAX_ATTEMPTS = RETRY_SECONDS.length + 1
/** The part of a pause that is added at random, so that many deliveries do not come at the same time. */
const JITTER = 0.1
/** The longest time that a receiver can ask for with Retry-After. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR

export type PlannedOutcome =
  | { status: 'DELIVERED' }
  /** `isGone`: the receiver wants no more events. */
  | { status: 'FAILED'; isGone: boolean }
  | { status: 'PENDING'; dueInSeconds: number }

/** Decides what happens after an attempt. @param attempts the number of earlier attempts */
export function planOutcome(response: PublicResponse, attempts: number, now: Date): PlannedOutcome {
  if ('status' in response && response.status >= 200 && response.status < 300) return { status: 'DELIVERED' }
  if ('status' in response && response.status === 410) return { status: 'FAILED', isGone: true }
  const pause = 'problem' in response && response.isPermanent ? undefined : RETRY_SECONDS[attempts]
  if (pause === undefined) return { status: 'FAILED', isGone: false }
  const asked = 'retryAfter' in response ? readRetryAfter(response.retryAfter, now) / SECOND_MS : 0
  return {
    status: 'PENDING',
    dueInSeconds: Math.max(pause * (1 + Math.random() * JITTER), Math.min(asked, MAX_RETRY_AFTER_SECONDS)),
  }
}
