import { workflowInfo } from '@temporalio/workflow'

/**
 * Temporal ends an execution at 51,200 events or 10,000 signals, and suggests continue-as-new at 4,096 events. A burst of signals
 * adds events faster than a run can end, so this limit is far below that.
 */
const MAX_EVENTS = 2_000

/** Whether this run should continue as new. */
export const isHistoryLong = (): boolean => {
  const { continueAsNewSuggested, historyLength } = workflowInfo()
  return continueAsNewSuggested || historyLength > MAX_EVENTS
}
