import { run } from '../machine-state.ts'
import type { ConditionJson } from './condition.ts'
import type { EngineStepType } from './step-type.ts'

export interface WaitForEventOutline {
  id: string
  type: 'WAIT_FOR_EVENT'
  eventName: string
}

export interface StoredWaitForEvent extends WaitForEventOutline {
  filter?: ConditionJson
  timeoutMinutes: number
}

/** The branches of a WAIT_FOR_EVENT. */
export const RECEIVED = 'received'
export const TIMED_OUT = 'timedOut'

/** Waits for an event of the contact, up to a limit. */
export const waitForEvent: EngineStepType<WaitForEventOutline, StoredWaitForEvent> = {
  outlineOf: ({ id, type, eventName }) => ({ id, type, eventName }),
  describe: ({ eventName }) => `WAIT_FOR_EVENT ${eventName}`,
  enter: ({ id }, { state }) => run(state, id),
  branchesOf: () => [RECEIVED, TIMED_OUT],
  isRunByActivity: true,
}
