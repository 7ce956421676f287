import type { MachineState, StepOutline } from '../automation-engine/index.ts'

/**
 * Where an enrollment was when it moved to its version. In another order of the steps, what it has passed before does not show where it is.
 */
export interface MovedTo {
  /** The step at which it continued; `null` at the end. */
  stepId: string | null
  /** When it moved, in milliseconds since 1970. */
  since: number
  /** When its wait at that step ends, in milliseconds since 1970; `since` for a step that does not wait. */
  at: number
  /** The later steps that it had passed in earlier versions. */
  passed: string[]
}

/** @param passed the steps that it has passed, now: milliseconds since 1970 */
export function movedTo(
  steps: readonly StepOutline[],
  state: Pick<MachineState, 'stepId' | 'wakeAt'>,
  passed: readonly string[],
  now: number,
): MovedTo {
  const place = steps.findIndex(({ id }) => id === state.stepId)
  const later = new Set(place === -1 ? [] : steps.slice(place + 1).map(({ id }) => id))
  return {
    stepId: place === -1 ? null : state.stepId,
    since: now,
    at: state.wakeAt ?? now,
    passed: passed.filter((id) => later.has(id)),
  }
}

/** Selects the results that an enrollment has had on its way through its version. */
export function resultsInVersion<Result extends { stepId: string }>(
  steps: readonly StepOutline[],
  moved: MovedTo | null,
  results: readonly Result[],
): Result[] {
  if (moved === null) return [...results]
  const place = steps.findIndex(({ id }) => id === moved.stepId)
  const onTheWay = new Set(place === -1 ? [] : steps.slice(place).map(({ id }) => id))
  return results.filter(({ stepId }) => onTheWay.has(stepId) && !moved.passed.includes(stepId))
}
