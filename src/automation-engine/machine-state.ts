import type { EndStatus } from './enrollment.ts'

/** Where a sequence is: small, and all that it needs to go on in a new run, besides the steps themselves. */
export interface MachineState {
  /** The step that it is at: `null` before the first, and `END` behind the last. */
  stepId: string | null
  /** What it waits for. */
  waitingFor: 'begin' | 'email' | 'time' | 'change' | 'end' | 'nothing'
  /** When the wait that it is in ends: milliseconds since 1970. */
  wakeAt: number | null
  /** Whether its automation keeps it where it is. */
  paused: boolean
  /** Whether the automation changed while an email was under way: what that saw may be older than the change. */
  changed: boolean
}

export const END = 'end'

export const INITIAL: MachineState = { stepId: null, waitingFor: 'begin', wakeAt: null, paused: false, changed: false }

/** What is to be done. All but `publish` take time, and one of them is under way at most. */
export type Effect =
  | { do: 'send'; stepId: string }
  /** Wait until then; `null`: until something happens. */
  | { do: 'wait'; until: number | null }
  | { do: 'publish'; paused: boolean }
  /** Tell when the wait that begins will end. */
  | { do: 'announce'; position: number; until: number }
  | { do: 'end'; status: EndStatus }

export interface Move {
  state: MachineState
  effects: Effect[]
}

export const stay = (state: MachineState): Move => ({ state, effects: [] })

export const send = (state: MachineState, stepId: string): Move => ({
  state: { ...state, stepId, waitingFor: 'email', wakeAt: null, changed: false },
  effects: [{ do: 'send', stepId }],
})

/** @param position of the step that waits, @param until milliseconds since 1970 */
export const wait = (state: MachineState, stepId: string, position: number, until: number): Move => ({
  state: { ...state, stepId, waitingFor: 'time', wakeAt: until },
  effects: [
    { do: 'announce', position, until },
    { do: 'wait', until },
  ],
})

export const end = (state: MachineState, status: EndStatus): Move => ({
  state: { ...state, waitingFor: 'nothing', wakeAt: null },
  effects: [{ do: 'end', status }],
})
