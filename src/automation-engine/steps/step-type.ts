import type { MachineState, Move } from '../machine-state.ts'

/** What a sequence knows of a type of step. What the API knows of it is in `src/automations/steps`. */
export interface SequenceStepType<Outline, Stored extends Outline> {
  /** What a workflow may know of a step: no content, because histories hold no content. */
  outlineOf(step: Stored): Outline
  /** In an operator's words, such as "WAIT 30 days". */
  describe(step: Outline): string
  /** What a sequence does that comes to it. */
  enter(step: Outline, arrival: Arrival): Move
}

/** A sequence comes to a step. */
export interface Arrival {
  /** The step's place, zero-based. */
  position: number
  state: MachineState
  /** Milliseconds since 1970. */
  now: number
  /** On to the step behind it, at once. */
  pass(): Move
}
