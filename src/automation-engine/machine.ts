/**
 * Decides what a sequence does next, as a pure function without a clock, Temporal or a database. The caller passes in what
 * happened and when, carries out the effects that are returned, and reports their results. The workflow does this, as does any
 * other code that runs sequences on its own clock.
 */
import type { EndStatus } from './enrollment.ts'
import {
  END,
  end,
  type Effect,
  type MachineState,
  type Transition,
  retryAt,
  run,
  send,
  stay,
  wait,
} from './machine-state.ts'
import { enterStep, isRunByActivity, type StepOutline } from './steps/index.ts'
import { branchStart, successorOf } from './tree.ts'

/**
 * Version of these rules. A run follows one version from its first event to its last. A run that continues as new uses the newest
 * version. To change what a running sequence does, increase this number and keep the old rules.
 */
export const ENGINE_VERSION = 1

/**
 * Progress of a sequence according to the database: its last final step, and when it became final; `null` with the time of entry.
 */
export interface Progress {
  stepId: string | null
  /** Milliseconds since 1970. */
  at: number
  /** Whether it is at that step, not after it, because it moved there from another version. `at` is then the end of its wait. */
  isPresent?: true
}

/** Events that a sequence reacts to. */
export type MachineEvent =
  /** A run begins. `resumeAfter` is the progress of an enrollment that had lost its workflow: see `Progress`. */
  | { kind: 'begun'; resumeAfter?: Progress | undefined }
  /**
   * The email of a step is final or cannot be sent: paused, stopped by a rejection, or deleted. `at` is when it became final, in
   * milliseconds since 1970, if that was a while ago. Ignored unless it is for the present step.
   */
  | { kind: 'email-settled'; stepId: string; as: 'continue' | 'stop' | 'paused' | 'gone'; at?: number | undefined }
  /** The activity of a step has a result. Ignored unless it is for the present step. */
  | { kind: 'step-ran'; stepId: string; result: StepResult }
  /** The time of a wait has come. */
  | { kind: 'woken' }
  /** The present wait ends earlier than it was due. `until` is in milliseconds since 1970. */
  | { kind: 'brought-forward'; until: number }
  /** The automation was changed, or an event arrived for which a step waits. */
  | { kind: 'changed' }
  /** The sequence continues in another version of its automation, in this state. `steps` are those of that version. */
  | { kind: 'moved'; to: MachineState }
  /** The sequence must end immediately. The default status is CANCELLED. */
  | { kind: 'exit'; status?: EndStatus }

/**
 * The result of a step's activity:
 * - continue: the step is done. `branch` names the branch that follows, for a step that has some
 * - wait: the sequence continues at `until`, in milliseconds since 1970
 * - retry: the activity runs again at `until`, or earlier after a change
 * - end: the enrollment ends
 * - paused, gone: as for an email
 */
export type StepResult =
  | { next: 'continue'; branch?: string; at?: number }
  | { next: 'wait' | 'retry'; until: number }
  | { next: 'end'; status: EndStatus }
  | { next: 'paused' | 'gone' }

/** @param now milliseconds since 1970 */
export function nextTransition(
  steps: readonly StepOutline[],
  state: MachineState,
  happening: MachineEvent,
  now: number,
): Transition {
  if (state.waitingFor === 'nothing') return stay(state)
  switch (happening.kind) {
    case 'begun':
      return begin(steps, state, happening.resumeAfter, now)
    case 'email-settled':
      return state.waitingFor === 'email' && state.stepId === happening.stepId
        ? settle(steps, state, happening.as, happening.at ?? now)
        : stay(state)
    case 'step-ran':
      return state.waitingFor === 'step' && state.stepId === happening.stepId
        ? settleStep(steps, state, happening.result, now)
        : stay(state)
    case 'woken':
      if (state.waitingFor === 'retry') return run(state, state.stepId!)
      // A wait after a wait begins when the previous one was due to end, even if the worker was late.
      return state.waitingFor === 'time'
        ? continueAfter(steps, { ...state, wakeAt: null }, state.wakeAt ?? now)
        : stay(state)
    case 'brought-forward':
      if (!isWaiting(state) || happening.until >= state.wakeAt!) return stay(state)
      return {
        ...retryAt(state, positionOf(steps, state), happening.until),
        state: { ...state, wakeAt: happening.until },
      }
    case 'changed':
      // An activity that runs may or may not have seen the change. It counts as not seen.
      if (state.waitingFor === 'email' || state.waitingFor === 'step') return stay({ ...state, changed: true })
      if (state.waitingFor === 'retry') return run(state, state.stepId!)
      return state.waitingFor === 'change' ? repeat(steps, state) : stay(state)
    case 'moved':
      return continueAs(steps, state, happening.to, now)
    case 'exit':
      return end(state, happening.status ?? 'CANCELLED')
  }
}

/** Returns the zero-based index of a state's step, or the number of steps at the end. */
export function positionOf(steps: readonly StepOutline[], { stepId }: Pick<MachineState, 'stepId'>): number {
  if (stepId === END) return steps.length
  const position = steps.findIndex((step) => step.id === stepId)
  return Math.max(position, 0)
}

function begin(
  steps: readonly StepOutline[],
  state: MachineState,
  resumeAfter: Progress | undefined,
  now: number,
): Transition {
  switch (state.waitingFor) {
    // Continue where the previous run left off.
    case 'time':
      return { state, effects: [{ do: 'wait', until: state.wakeAt }] }
    case 'email':
    case 'step':
    case 'change':
      return repeat(steps, state)
    case 'retry':
      return { state, effects: [{ do: 'wait', until: state.wakeAt }] }
    case 'begin': {
      if (resumeAfter?.isPresent) return resumeAt(steps, state, resumeAfter)
      const last = steps.findIndex(({ id }) => id === resumeAfter?.stepId)
      // The wait that follows began when that step became final, and not when the workflow was found to be lost.
      const at = resumeAfter?.at ?? now
      if (last === -1) return enter(steps, 0, state, at)
      // The activity of a step returns the result that it had.
      return isRunByActivity(steps[last]!)
        ? run(state, steps[last]!.id)
        : enter(steps, successorOf(steps, last), state, at)
    }
    case 'end':
    case 'nothing':
      return stay(state)
  }
}

function resumeAt(steps: readonly StepOutline[], state: MachineState, { stepId, at }: Progress): Transition {
  const found = steps.findIndex(({ id }) => id === stepId)
  const position = found === -1 ? steps.length : found
  const step = steps[position]
  return step?.type === 'WAIT' ? wait(state, step.id, position, at) : enter(steps, position, state, at)
}

/** Continues in a state that another version has determined, and announces what changed. */
function continueAs(steps: readonly StepOutline[], before: MachineState, to: MachineState, now: number): Transition {
  const { state, effects } = begin(steps, to, undefined, now)
  const released: Effect[] = before.paused && !to.paused ? [{ do: 'publish', paused: false }] : []
  const announced: Effect[] =
    to.wakeAt !== null && to.wakeAt !== before.wakeAt
      ? [{ do: 'announce', position: positionOf(steps, to), until: to.wakeAt }]
      : []
  return { state, effects: [...released, ...announced, ...effects] }
}

const isWaiting = ({ waitingFor }: MachineState): boolean => waitingFor === 'time' || waitingFor === 'retry'

function settle(
  steps: readonly StepOutline[],
  state: MachineState,
  as: 'continue' | 'stop' | 'paused' | 'gone',
  now: number,
): Transition {
  switch (as) {
    case 'continue':
      return released(state, continueAfter(steps, { ...state, paused: false }, now))
    case 'stop':
      return end(state, 'STOPPED')
    case 'gone':
      return end(state, 'CANCELLED')
    case 'paused':
      return pause(steps, state)
  }
}

function settleStep(steps: readonly StepOutline[], state: MachineState, result: StepResult, now: number): Transition {
  const position = positionOf(steps, state)
  switch (result.next) {
    case 'continue': {
      const to =
        result.branch === undefined ? successorOf(steps, position) : branchStart(steps, position, result.branch)
      return released(state, enter(steps, to, { ...state, paused: false }, result.at ?? now))
    }
    case 'wait':
      return released(state, wait({ ...state, paused: false }, state.stepId!, position, result.until))
    case 'retry':
      // The activity may have looked for the event before it arrived.
      if (state.changed) return run(state, state.stepId!)
      return released(state, retryAt({ ...state, paused: false }, position, result.until))
    case 'end':
      return end(state, result.status)
    case 'gone':
      return end(state, 'CANCELLED')
    case 'paused':
      return pause(steps, state)
  }
}

/** Waits until the automation changes, unless it has changed already. */
function pause(steps: readonly StepOutline[], state: MachineState): Transition {
  if (state.changed) return repeat(steps, state)
  const paused: MachineState = { ...state, waitingFor: 'change', paused: true }
  const effect: Effect = { do: 'wait', until: null }
  return { state: paused, effects: state.paused ? [effect] : [{ do: 'publish', paused: true }, effect] }
}

/** Starts the activity of the present step again. */
function repeat(steps: readonly StepOutline[], state: MachineState): Transition {
  const step = steps[positionOf(steps, state)]
  return step && isRunByActivity(step) ? run(state, step.id) : send(state, state.stepId!)
}

/** Publishes that a paused sequence continues. */
const released = (before: MachineState, move: Transition): Transition =>
  before.paused ? { ...move, effects: [{ do: 'publish', paused: false }, ...move.effects] } : move

const continueAfter = (steps: readonly StepOutline[], state: MachineState, now: number): Transition =>
  enter(steps, successorOf(steps, positionOf(steps, state)), state, now)

/** Reaches a step. A position after the last one ends the sequence. */
export function enter(steps: readonly StepOutline[], position: number, state: MachineState, now: number): Transition {
  const step = steps[position]
  if (!step) return end({ ...state, stepId: END }, 'COMPLETED')
  return enterStep(step, { position, state, now, pass: () => enter(steps, successorOf(steps, position), state, now) })
}
