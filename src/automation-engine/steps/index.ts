/**
 * Step types, as a sequence runs through them. To add one, add a module here, one in `src/automations/steps`, and a line in both
 * registries.
 */
import type { Transition } from '../machine-state.ts'
import { email } from './email.ts'
import type { Arrival, EngineStepType } from './step-type.ts'
import { wait } from './wait.ts'

const STEPS = { EMAIL: email, WAIT: wait }

export type StepType = keyof typeof STEPS
/** The part of a step that a workflow may know. */
export type StepOutline = Parameters<(typeof STEPS)[StepType]['describe']>[0]
/** A step as a version stores it. */
export type StoredStep = Parameters<(typeof STEPS)[StepType]['outlineOf']>[0]

export const STEP_TYPES = Object.keys(STEPS) as StepType[]

export { EMAIL_CATEGORIES, type EmailCategory } from './email.ts'

/** Maximum steps of an automation. A continued run carries the outline of all steps, so the number must be limited. */
export const MAX_STEPS = 500

const typeOf = ({ type }: { type: StepType }) => STEPS[type] as EngineStepType<StepOutline, StoredStep>

export const outlineOf = (step: StoredStep): StepOutline => typeOf(step).outlineOf(step)

/** See `EngineStepType`. */
export const enterStep = (step: StepOutline, arrival: Arrival): Transition => typeOf(step).enter(step, arrival)

export const describeType = (step: StepOutline): string => typeOf(step).describe(step)

/** Describes a step for operators, such as "2 of 3: WAIT 30 days". `position` is zero-based. */
export function describeStep(steps: readonly StepOutline[], position: number): string {
  const step = steps[position]
  return step ? `${position + 1} of ${steps.length}: ${describeType(step)}` : 'end'
}
