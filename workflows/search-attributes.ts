import { upsertSearchAttributes } from '@temporalio/workflow'
import { SEARCH_ATTRIBUTES } from '../src/temporal/search-attribute-keys.ts'
import { MAX_DELAY_MINUTES, type StepOutline, type StepType } from '../src/automation-engine/index.ts'

/** Each update of a search attribute is an event in the history, and a sequence should cost little more than its steps. */
const MAX_PUBLISHED_WAITS = 5

/** Types whose wait is as long as their activity decides. They count as longest. */
const WAITS: readonly StepType[] = ['WAIT_UNTIL', 'WAIT_FOR_EVENT']

/**
 * Returns the waits whose end is published as a search attribute: all of a sequence that has at most five, and otherwise the five
 * longest. The current details show an enrollment's position in any case.
 */
export function publishedWaits(steps: readonly StepOutline[]): ReadonlySet<number> {
  const waits = steps.flatMap((step, position) =>
    step.type === 'WAIT'
      ? [{ position, delayMinutes: step.delayMinutes }]
      : WAITS.includes(step.type)
        ? [{ position, delayMinutes: MAX_DELAY_MINUTES }]
        : [],
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
