import type { MachineState, Transition } from '../machine-state.ts'

/** The sequence's part of a step type. The API's part is in `src/automations/steps`. */
export interface EngineStepType<Outline, Stored extends Outline> {
  /** The part of a step that a workflow may know. Without content, because histories must not contain content. */
  outlineOf(step: Stored): Outline
  /** Describes a step for operators, such as "WAIT 30 days". */
  describe(step: Outline): string
  /** Decides what a sequence does when it reaches a step. */
  enter(step: Outline, arrival: Arrival): Transition
}

/** A sequence that reaches a step. */
export interface Arrival {
  /** The zero-based index of the step. */
  position: number
  state: MachineState
  /** Milliseconds since 1970. */
  now: number
  /** Continues with the next step immediately. */
  pass(): Transition
}
