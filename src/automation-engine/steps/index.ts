/** The types of steps, as a sequence runs through them. One more is a module here, one in `src/automations/steps`, and a line in both registries. */
import type { Move } from '../machine-state.ts'
import { email } from './email.ts'
import type { Arrival, SequenceStepType } from './step-type.ts'
import { wait } from './wait.ts'

const STEPS = { EMAIL: email, WAIT: wait }

export type StepType = keyof typeof STEPS
/** What a workflow may know of a step. */
export type StepOutline = Parameters<(typeof STEPS)[StepType]['describe']>[0]
/** A step as a version keeps it. */
export type StoredStep = Parameters<(typeof STEPS)[StepType]['outlineOf']>[0]

export const STEP_TYPES = Object.keys(STEPS) as StepType[]

export { EMAIL_CATEGORIES, type EmailCategory } from './email.ts'

/** The most steps an automation may have. A continued run carries the outline of all, so it has to end somewhere. */
export const MAX_STEPS = 500

const typeOf = ({ type }: { type: StepType }) => STEPS[type] as SequenceStepType<StepOutline, StoredStep>

export const outlineOf = (step: StoredStep): StepOutline => typeOf(step).outlineOf(step)

/** See `SequenceStepType`. */
export const enterStep = (step: StepOutline, arrival: Arrival): Move => typeOf(step).enter(step, arrival)

export const describeType = (step: StepOutline): string => typeOf(step).describe(step)

/** A step in an operator's words, such as "2 of 3: WAIT 30 days". `position` is zero-based. */
export function describeStep(steps: readonly StepOutline[], position: number): string {
  const step = steps[position]
  return step ? `${position + 1} of ${steps.length}: ${describeType(step)}` : 'end'
}
