/** Replacement for `@temporalio/activity` in a simulation. */
import { AsyncLocalStorage } from 'node:async_hooks'

export { ApplicationFailure, CancelledFailure } from '@temporalio/common'
export class CompleteAsyncError extends Error {}

export interface RunningActivity {
  isLocal: boolean
  cancellation: AbortSignal
}
export const runningActivity = new AsyncLocalStorage<RunningActivity>()

export const activityInfo = () => ({ isLocal: runningActivity.getStore()?.isLocal ?? true, heartbeatTimeoutMs: 15_000 })
export const heartbeat = (): void => undefined
export const Context = {
  current: () => ({ cancellationSignal: runningActivity.getStore()!.cancellation }),
}
