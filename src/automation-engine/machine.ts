/**
 * What a sequence does next, as a pure function. It knows no clock, no Temporal and no database: it is told what happened
 * and when, and says what is to be done. The workflow carries that out and tells what came of it; so does whatever else
 * runs sequences, on a clock of its own.
 */
import { END, end, type Effect, type MachineState, type Move, send, stay } from './machine-state.ts'
import { enterStep, type StepOutline } from './steps/index.ts'

/**
 * The version of these rules that a run follows from its first event to its last. A run that continues as new takes the
 * newest. Change what a running sequence does, and this number goes up, with the rules of the old one kept.
 */
export const ENGINE = 1

/** How far a sequence is by the ledger: its last step that is settled, and when it was; `null` with the time of its entry. */
export interface Progress {
  stepId: string | null
  /** Milliseconds since 1970. */
  at: number
}

/** What can happen to a sequence. */
export type Happening =
  /** A run begins. `resumeAfter` says what the ledger knows of an enrollment that had lost its workflow: see `Progress`. */
  | { kind: 'begun'; resumeAfter?: Progress | undefined }
  /**
   * The email of a step is settled, or can't be sent: paused, stopped by a refusal, or gone. `at` says when it was settled, in
   * milliseconds since 1970, where that is a while ago. Of another step than the present one it says nothing.
   */
  | { kind: 'email-settled'; stepId: string; as: 'go-on' | 'stop' | 'paused' | 'gone'; at?: number | undefined }
  /** The time that was waited for has come. */
  | { kind: 'woken' }
  /** The automation was changed. */
  | { kind: 'changed' }
  /** It is to end at once. */
  | { kind: 'exit' }

/** @param now milliseconds since 1970 */
export function next(steps: readonly StepOutline[], state: MachineState, happening: Happening, now: number): Move {
  if (state.waitingFor === 'nothing') return stay(state)
  switch (happening.kind) {
    case 'begun':
      return begin(steps, state, happening.resumeAfter, now)
    case 'email-settled':
      return state.waitingFor === 'email' && state.stepId === happening.stepId
        ? settle(steps, state, happening.as, happening.at ?? now)
        : stay(state)
    case 'woken':
      // A wait behind a wait begins when that was to end, however late somebody was there to see it.
      return state.waitingFor === 'time' ? goOn(steps, { ...state, wakeAt: null }, state.wakeAt ?? now) : stay(state)
    case 'changed':
      // While an email is under way nobody knows whether it saw the change: it counts as not seen.
      if (state.waitingFor === 'email') return stay({ ...state, changed: true })
      return state.waitingFor === 'change' ? send(state, state.stepId!) : stay(state)
    case 'exit':
      return end(state, 'CANCELLED')
  }
}

/** The zero-based place of a state's step among the steps; their number at the end. */
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
): Move {
  switch (state.waitingFor) {
    // A run goes on where the one before it was.
    case 'time':
      return { state, effects: [{ do: 'wait', until: state.wakeAt }] }
    case 'email':
    case 'change':
      return send(state, state.stepId!)
    case 'begin': {
      const last = steps.findIndex(({ id }) => id === resumeAfter?.stepId)
      // The wait that follows began when that email was settled, and not when its workflow was found to be lost.
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
): Move {
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

/** What was published as paused is published as going on. */
const released = (before: MachineState, move: Move): Move =>
  before.paused ? { ...move, effects: [{ do: 'publish', paused: false }, ...move.effects] } : move

const goOn = (steps: readonly StepOutline[], state: MachineState, now: number): Move =>
  enter(steps, positionOf(steps, state) + 1, state, now)

function enter(steps: readonly StepOutline[], position: number, state: MachineState, now: number): Move {
  const step = steps[position]
  if (!step) return end({ ...state, stepId: END }, 'COMPLETED')
  return enterStep(step, { position, state, now, pass: () => enter(steps, position + 1, state, now) })
}
