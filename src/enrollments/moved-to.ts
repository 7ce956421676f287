import type { MachineState, StepOutline } from '../automation-engine/index.ts'

/**
 * The place of an enrollment when it moved to its version. In another order of the steps, what it has passed before does not show where
 * it is.
 */
export interface MovedTo {
  /** The step at which it continued; `null` at the end. */
  stepId: string | null
  /** When it moved, in milliseconds since 1970. */
  since: number
  /** When its wait at that step ends, in milliseconds since 1970; `since` for a step that does not wait. */
  at: number
  /** The steps from there on that it had passed in earlier versions. */
  passed: string[]
  /** When it came to these steps again, in milliseconds since 1970. */
  reached: Record<string, number>
}

/**
 * @param state.arrives whether it comes to the step now, and was not there before: it may have passed that step long ago
 * @param passed the steps that have a result
 * @param now milliseconds since 1970
 */
export function movedTo(
  steps: readonly StepOutline[],
  state: Pick<MachineState, 'stepId' | 'wakeAt'> & { arrives: boolean },
  passed: readonly string[],
  now: number,
): MovedTo {
  const place = steps.findIndex(({ id }) => id === state.stepId)
  const ahead = steps.slice(state.arrives ? place : place + 1).map(({ id }) => id)
  const later = new Set(place === -1 ? [] : ahead)
  return {
    stepId: place === -1 ? null : state.stepId,
    since: now,
    at: state.wakeAt ?? now,
    passed: passed.filter((id) => later.has(id)),
    reached: {},
  }
}

/** A result of a step. */
interface Result {
  stepId: string
  at: Date
  since?: Date
}

/** Selects the results that an enrollment has had on its way through its version. A step that it came to again has its result since then. */
export function resultsInVersion<Of extends Result>(
  steps: readonly StepOutline[],
  moved: MovedTo | null,
  results: readonly Of[],
): Of[] {
  if (moved === null) return [...results]
  const place = steps.findIndex(({ id }) => id === moved.stepId)
  const onTheWay = new Set(place === -1 ? [] : steps.slice(place).map(({ id }) => id))
  return results.flatMap((result) => {
    if (!onTheWay.has(result.stepId)) return []
    if (!moved.passed.includes(result.stepId)) return [result]
    const reached = moved.reached[result.stepId]
    const at = reached === undefined ? undefined : new Date(reached)
    return at ? [{ ...result, at, ...(result.since && { since: at }) }] : []
  })
}

/** Returns the last step that an enrollment has passed in its version. */
export function lastInVersion<Of extends Result>(
  steps: readonly StepOutline[],
  moved: MovedTo | null,
  results: readonly Of[],
): Of | undefined {
  const placeOf = ({ stepId }: Of) => steps.findIndex(({ id }) => id === stepId)
  return resultsInVersion(steps, moved, results)
    .filter((result) => placeOf(result) !== -1)
    .toSorted((a, b) => placeOf(b) - placeOf(a))[0]
}
