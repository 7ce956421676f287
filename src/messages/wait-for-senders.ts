import { setTimeout as delay } from 'node:timers/promises'

/** How long the caller waits for emails that are being handed over at this moment, in milliseconds. */
const PATIENCE_MS = 3_500
/**
 * How long after it sent its claim a sender may begin to hand over, in milliseconds: whoever was asked to send no more, and saw the
 * claim, has not been answered by then.
 */
export const BEGIN_WITHIN_MS = PATIENCE_MS - 500
const LONGEST_PAUSE_MS = 250

/**
 * Waits until no email is being handed over any more. It asks now and then and keeps no connection meanwhile.
 * @param count how many are, by claims whose lease is not over. A sender that can't renew its lease stops before that.
 * @returns whether none is; false where it takes too long for a caller to wait.
 */
export async function waitForSenders(count: () => Promise<number>): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS
  for (let pause = 20; (await count()) > 0; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const left = deadline - performance.now()
    if (left <= 0) return false
    await delay(Math.min(pause, left))
  }
  return true
}
