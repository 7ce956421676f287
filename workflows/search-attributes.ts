import { upsertSearchAttributes } from '@temporalio/workflow'
import { SEARCH_ATTRIBUTES } from '../src/temporal/search-attribute-keys.ts'
import type { StepOutline } from '../src/automation-engine/index.ts'

/** Each update of a search attribute is an event of the history, and a sequence is to cost hardly more than its steps. */
const MAX_PUBLISHED_WAITS = 5

/**
 * The waits whose end is published for operators to search by: all of a sequence that has at most five, and the five
 * longest of one that has more. Where an enrollment is at this moment is in its current details in any case.
 */
export function publishedWaits(steps: readonly StepOutline[]): ReadonlySet<number> {
  const waits = steps.flatMap((step, position) =>
    step.type === 'WAIT' ? [{ position, delayMinutes: step.delayMinutes }] : [],
  )
  waits.sort((a, b) => b.delayMinutes - a.delayMinutes || a.position - b.position)
  return new Set(waits.slice(0, MAX_PUBLISHED_WAITS).map((wait) => wait.position))
}

export const publishWait = (nextStep: string, wakeAt: Date): void =>
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.nextStep, value: nextStep },
    { key: SEARCH_ATTRIBUTES.nextWakeAt, value: wakeAt },
  ])

export const publishStatus = (status: 'ACTIVE' | 'PAUSED'): void =>
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: status }])
