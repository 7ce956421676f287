import type { EndStatus } from './enrollment.ts'

/** The state of a sequence. It is small. Together with the steps, it is all that a new run needs to continue. */
export interface MachineState {
  /** The current step: `null` before the first, and `END` after the last. */
  stepId: string | null
  /** The event that the sequence waits for. */
  waitingFor: 'begin' | 'email' | 'time' | 'change' | 'end' | 'nothing'
  /** When the current wait ends, in milliseconds since 1970. */
  wakeAt: number | null
  /** Whether the sequence is paused by its automation. */
  paused: boolean
  /**
   * Whether the automation changed while an email was in flight. The state that the email's activity read may be older than the
   * change.
   */
  changed: boolean
}

export const END = 'end'

export const INITIAL_STATE: MachineState = {
  stepId: null,
  waitingFor: 'begin',
  wakeAt: null,
  paused: false,
  changed: false,
}

/** Effects for the caller to carry out. All except `publish` take time, and at most one of those is in progress at a time. */
export type Effect =
  | { do: 'send'; stepId: string }
  /** Waits until a time; `null` waits for the next happening. */
  | { do: 'wait'; until: number | null }
  | { do: 'publish'; paused: boolean }
  /** Announces when the wait that begins will end. */
  | { do: 'announce'; position: number; until: number }
  | { do: 'end'; status: EndStatus }

export interface Transition {
  state: MachineState
  effects: Effect[]
}

export const stay = (state: MachineState): Transition => ({ state, effects: [] })

export const send = (state: MachineState, stepId: string): Transition => ({
  state: { ...state, stepId, waitingFor: 'email', wakeAt: null, changed: false },
  effects: [{ do: 'send', stepId }],
})

/** @param position of the step that waits, @param until milliseconds since 1970 */
export const wait = (state: MachineState, stepId: string, position: number, until: number): Transition => ({
  state: { ...state, stepId, waitingFor: 'time', wakeAt: until },
  effects: [
    { do: 'announce', position, until },
    { do: 'wait', until },
  ],
})

export const end = (state: MachineState, status: EndStatus): Transition => ({
  state: { ...state, waitingFor: 'nothing', wakeAt: null },
  effects: [{ do: 'end', status }],
})
