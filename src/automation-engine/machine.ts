/**
 * Decides what a sequence does next, as a pure function without a clock, Temporal or a database. The caller passes in what
 * happened and when, carries out the effects that are returned, and reports their results. The workflow does this, as does any
 * other code that runs sequences on its own clock.
 */
import { END, end, type Effect, type MachineState, type Transition, send, stay } from './machine-state.ts'
import { enterStep, type StepOutline } from './steps/index.ts'

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
}

/** Events that a sequence reacts to. */
export type MachineEvent =
  /** A run begins. `resumeAfter` is the progress of an enrollment that had lost its workflow: see `Progress`. */
  | { kind: 'begun'; resumeAfter?: Progress | undefined }
  /**
   * The email of a step is final or cannot be sent: paused, stopped by a rejection, or deleted. `at` is when it became final, in
   * milliseconds since 1970, if that was a while ago. Ignored unless it is for the present step.
   */
  | { kind: 'email-settled'; stepId: string; as: 'go-on' | 'stop' | 'paused' | 'gone'; at?: number | undefined }
  /** The time of a wait has come. */
  | { kind: 'woken' }
  /** The automation was changed. */
  | { kind: 'changed' }
  /** The sequence must end immediately. */
  | { kind: 'exit' }

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
    case 'woken':
      // A wait after a wait begins when the previous one was due to end, even if the worker was late.
      return state.waitingFor === 'time' ? goOn(steps, { ...state, wakeAt: null }, state.wakeAt ?? now) : stay(state)
    case 'changed':
      // An email in flight may or may not have seen the change. It counts as not seen.
      if (state.waitingFor === 'email') return stay({ ...state, changed: true })
      return state.waitingFor === 'change' ? send(state, state.stepId!) : stay(state)
    case 'exit':
      return end(state, 'CANCELLED')
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
    case 'change':
      return send(state, state.stepId!)
    case 'begin': {
      const last = steps.findIndex(({ id }) => id === resumeAfter?.stepId)
      // The following wait began when that email became final, not when the workflow was found to be lost.
      return enter(steps, last + 1, state, resumeAfter?.at ?? now)
    }
    case 'end':
    case 'nothing':
      return stay(state)
  }
}

function settle(
  steps: readonly StepOutline[],
  state: MachineState,
  as: 'go-on' | 'stop' | 'paused' | 'gone',
  now: number,
): Transition {
  switch (as) {
    case 'go-on':
      return released(state, goOn(steps, { ...state, paused: false }, now))
    case 'stop':
      return end(state, 'STOPPED')
    case 'gone':
      return end(state, 'CANCELLED')
    case 'paused': {
      if (state.changed) return send(state, state.stepId!)
      const paused: MachineState = { ...state, waitingFor: 'change', paused: true }
      const wait: Effect = { do: 'wait', until: null }
      return { state: paused, effects: state.paused ? [wait] : [{ do: 'publish', paused: true }, wait] }
    }
  }
}

/** Publishes that a paused sequence continues. */
const released = (before: MachineState, move: Transition): Transition =>
  before.paused ? { ...move, effects: [{ do: 'publish', paused: false }, ...move.effects] } : move

const goOn = (steps: readonly StepOutline[], state: MachineState, now: number): Transition =>
  enter(steps, positionOf(steps, state) + 1, state, now)

function enter(steps: readonly StepOutline[], position: number, state: MachineState, now: number): Transition {
  const step = steps[position]
  if (!step) return end({ ...state, stepId: END }, 'COMPLETED')
  return enterStep(step, { position, state, now, pass: () => enter(steps, position + 1, state, now) })
}
