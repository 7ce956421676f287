import type { StoredStep } from '../automation-engine/index.ts'
import { type MovedTo, resultsInVersion } from './moved-to.ts'

/** An earlier step with a recorded result. */
export interface FinishedStep {
  stepId: string
  /** When the message became final, or the step ended. If it ended after a restore, when it began. */
  since: Date
  /** When the enrollment continued after it: later than `since` for a wait. */
  at: Date
}

/**
 * Computes when a step of an enrollment was due, as far as the database can prove it: after the waits that follow the last step
 * with a recorded result before it, or the start, or the move to its version. A workflow's own clock is less reliable, because a task that is replayed after a
 * restore runs at the current time.
 *
 * @returns also when the wait began; `undefined` if the enrollment has no such step
 */
export function dueTime(
  { steps, startedAt, movedTo }: { steps: readonly StoredStep[]; startedAt: Date; movedTo: MovedTo | null },
  passed: readonly FinishedStep[],
  stepId: string,
): { since: Date; due: Date } | undefined {
  const position = steps.findIndex(({ id }) => id === stepId)
  if (position === -1) return undefined
  const byId = new Map(resultsInVersion(steps, movedTo, passed).map((step) => [step.stepId, step]))
  const found = steps.slice(0, position).findLastIndex(({ id }) => byId.has(id))
  const began = movedTo ? steps.findIndex(({ id }) => id === movedTo.stepId) : -1
  const last = Math.max(found, began)
  const { since, at } = byId.get(steps[last]?.id ?? '') ?? {
    since: movedTo ? new Date(movedTo.since) : startedAt,
    at: movedTo ? new Date(movedTo.at) : startedAt,
  }
  const lists = listsAround(steps, steps[position]!)
  // Waits in branches that may have been taken are not known here: the step may be due earlier than it was.
  const waits = steps
    .slice(last + 1, position)
    .map((step) => (step.type === 'WAIT' && lists.has(listOf(step)) ? step.delayMinutes : 0))
  const minutes = waits.reduce((sum, delay) => sum + delay, 0)
  return { since, due: new Date(at.getTime() + minutes * 60_000) }
}

const listOf = (step: StoredStep): string => (step.in ? `${step.in.step} ${step.in.branch}` : '')

/** The lists of steps that contain a step, directly or in a branch. Their steps before it were passed. */
function listsAround(steps: readonly StoredStep[], step: StoredStep): ReadonlySet<string> {
  const lists = new Set<string>()
  for (let at: StoredStep | undefined = step; at; at = steps.find(({ id }) => id === at?.in?.step))
    lists.add(listOf(at))
  return lists
}
