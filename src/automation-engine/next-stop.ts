import type { MachineState } from './machine-state.ts'
import type { StepOutline } from './steps/index.ts'
import { branchStart, successorOf } from './tree.ts'

/** The place where a sequence continues: the next step that is not a WAIT, `null` at the end; and when it gets there. */
export interface Stop {
  stepId: string | null
  at: Date
}

/** Returns the first stop of a sequence that begins at a time. */
export const firstStop = (steps: readonly StepOutline[], at: Date): Stop => stopFrom(steps, 0, at)

/**
 * Returns the stop after a step that is done.
 *
 * @param branch the branch that the step chose, if it has some
 * @param at when the step was done, or when its wait ends
 */
export function stopAfter(
  steps: readonly StepOutline[],
  { stepId, branch, at }: { stepId: string; branch?: string | undefined; at: Date },
): Stop {
  const position = steps.findIndex(({ id }) => id === stepId)
  if (position === -1) return { stepId: null, at }
  const next = branch === undefined ? successorOf(steps, position) : branchStart(steps, position, branch)
  return stopFrom(steps, next, at)
}

/** Returns the stop of a sequence that is at a step. @param at when its wait at that step ends */
export function stopAt(steps: readonly StepOutline[], { stepId, at }: Stop): Stop {
  const step = steps.find(({ id }) => id === stepId)
  if (!step) return { stepId: null, at }
  return step.type === 'WAIT' ? stopAfter(steps, { stepId: step.id, at }) : { stepId: step.id, at }
}

/** Returns the step before which a sequence waits: the one whose activity runs again, or the one after the wait. */
export const stopOfWait = (
  steps: readonly StepOutline[],
  { stepId, waitingFor }: Pick<MachineState, 'stepId' | 'waitingFor'>,
): string | null => (waitingFor === 'retry' ? stepId : stopAfter(steps, { stepId: stepId!, at: new Date(0) }).stepId)

/**
 * Returns the stop of a sequence in a state.
 *
 * @param at for a state that does not wait: since when its step is due
 */
export function stopOfState(
  steps: readonly StepOutline[],
  { stepId, waitingFor, wakeAt }: MachineState,
  at: Date,
): Stop {
  switch (waitingFor) {
    case 'time':
      return stopAfter(steps, { stepId: stepId!, at: new Date(wakeAt!) })
    case 'retry':
      return { stepId, at: new Date(wakeAt!) }
    case 'begin':
    case 'email':
    case 'step':
    case 'change':
    case 'end':
    case 'nothing':
      return { stepId: steps.some(({ id }) => id === stepId) ? stepId : null, at }
  }
}

function stopFrom(steps: readonly StepOutline[], from: number, at: Date): Stop {
  let position = from
  let time = at.getTime()
  for (;;) {
    const step = steps[position]
    if (step?.type !== 'WAIT') return { stepId: step?.id ?? null, at: new Date(time) }
    time += step.delayMinutes * 60_000
    position = successorOf(steps, position)
  }
}
