import { activityInfo, ApplicationFailure } from '@temporalio/activity'
import { createBulkhead, within } from '../src/platform/bulkhead.ts'

/** Concurrent bookkeeping statements of one automation. Fewer than the connections of a worker. */
const MAX_PER_AUTOMATION = 4

/** Milliseconds that a local activity may wait and run, because it occupies a slot that all workflows need. */
const LOCAL_TIMEOUT_MS = 1_000

/**
 * Limits the concurrent bookkeeping of each automation, so that one whose rows are locked leaves connections and slots to the
 * others. A local activity that takes longer than a second fails, and its workflow starts a normal activity.
 */
export function createBulkheads() {
  const inTurn = createBulkhead(MAX_PER_AUTOMATION)
  const late = () =>
    ApplicationFailure.nonRetryable('Too slow for a local activity; continues in a normal activity', 'Slow')

  return function keptApart<Result>(automationId: string, run: () => Promise<Result>): Promise<Result> {
    const result = inTurn(automationId, run)
    return activityInfo().isLocal ? within(LOCAL_TIMEOUT_MS, result, late) : result
  }
}
