import { activityInfo, ApplicationFailure } from '@temporalio/activity'
import { createBulkhead, within } from '../src/platform/bulkhead.ts'
import { Recent } from '../src/platform/recent.ts'

/** How many statements of one automation's bookkeeping run at a time: fewer than a worker has connections. */
const AT_A_TIME = 4

/** How long a local activity may wait and work, in milliseconds: it keeps a slot that everybody needs. */
const PATIENCE_MS = 1_000

/** How long an automation whose bookkeeping was slow is not tried in a local activity, in milliseconds. */
const SLOW_FOR_MS = 10_000
/** How many of them are remembered: to forget one costs a second. */
const REMEMBERED = 1_000

/**
 * Keeps automations apart: one whose rows are locked, say, uses up neither the connections nor the slots of the others. What
 * is slow fails in its local activity, within a second, and goes on in a normal one.
 */
export function createBulkheads() {
  const inTurn = createBulkhead(AT_A_TIME)
  const slowOnes = new Recent(REMEMBERED, SLOW_FOR_MS)

  return async function keptApart<Result>(automationId: string, run: () => Promise<Result>): Promise<Result> {
    if (!activityInfo().isLocal) return inTurn(automationId, run)
    const slow = () => ApplicationFailure.nonRetryable('It takes longer, and goes on in an activity of its own', 'Slow')
    if (slowOnes.has(automationId)) throw slow()
    return within(PATIENCE_MS, inTurn(automationId, run), () => {
      slowOnes.note(automationId)
      return slow()
    })
  }
}

/** Lets in so many of one key at a time, and turns away whoever comes besides. */
export function createTurnstile(atATime: number) {
  const inside = new Map<string, number>()
  return async function pass<Result>(
    key: string,
    run: () => Promise<Result>,
    turnedAway: () => Result,
  ): Promise<Result> {
    const count = inside.get(key) ?? 0
    if (count >= atATime) return turnedAway()
    inside.set(key, count + 1)
    try {
      return await run()
    } finally {
      const left = (inside.get(key) ?? 1) - 1
      if (left === 0) inside.delete(key)
      else inside.set(key, left)
    }
  }
}
