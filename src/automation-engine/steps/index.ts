/**
 * Step types, as a sequence runs through them. To add one, add it here: the compiler reports what else it needs.
 */
import type { Transition } from '../machine-state.ts'
import { type Placed, type Successors, successorsOf } from '../tree.ts'
import { condition } from './condition.ts'
import { email } from './email.ts'
import { exit } from './exit.ts'
import { split } from './split.ts'
import type { Arrival, EngineStepType } from './step-type.ts'
import { updateContact } from './update-contact.ts'
import { wait } from './wait.ts'
import { waitForEvent } from './wait-for-event.ts'
import { waitUntil } from './wait-until.ts'
import { webhook } from './webhook.ts'

const STEPS = {
  EMAIL: email,
  WAIT: wait,
  WAIT_UNTIL: waitUntil,
  WAIT_FOR_EVENT: waitForEvent,
  CONDITION: condition,
  SPLIT: split,
  UPDATE_CONTACT: updateContact,
  WEBHOOK: webhook,
  EXIT: exit,
}

export type StepType = keyof typeof STEPS
/** The part of a step that a workflow may know. */
export type StepOutline = Parameters<(typeof STEPS)[StepType]['describe']>[0] & Successors
/** A step as a version stores it. */
export type StoredStep = Parameters<(typeof STEPS)[StepType]['outlineOf']>[0] & Placed & Successors & { name?: string }

export const STEP_TYPES = Object.keys(STEPS) as StepType[]

export { EMAIL_CATEGORIES, type EmailCategory } from './email.ts'

/** Maximum steps of an automation. A continued run carries the outline of all steps, so the number must be limited. */
export const MAX_STEPS = 500

/** Maximum depth of branches within branches. */
export const MAX_BRANCH_DEPTH = 10

const typeOf = ({ type }: { type: StepType }) => STEPS[type] as EngineStepType<StepOutline, StoredStep>

/** The outlines of a version's steps, with their successors. */
export const outlinesOf = (steps: readonly StoredStep[]): StepOutline[] =>
  steps.map((step) => ({
    ...typeOf(step).outlineOf(step),
    ...(step.next !== undefined && { next: step.next }),
    ...(step.branchStarts && { branchStarts: step.branchStarts }),
  }))

/** Adds the successors to the steps of a version. */
export function withSuccessors(steps: readonly StoredStep[]): StoredStep[] {
  const successors = successorsOf(steps, branchesOf)
  return steps.map((step, position) => ({ ...step, ...successors[position] }))
}

/** Removes what `withSuccessors` has added. */
export function withoutSuccessors(step: StoredStep): StoredStep {
  const own = { ...step }
  delete own.next
  delete own.branchStarts
  return own
}

/** The names of a step's branches; none for most steps. */
const branchesOf = (step: StoredStep): readonly string[] => typeOf(step).branchesOf?.(step) ?? []

/** Whether the activity of a step decides what follows. */
export const isRunByActivity = (step: { type: StepType }): boolean => typeOf(step).isRunByActivity === true

/** See `EngineStepType`. */
export const enterStep = (step: StepOutline, arrival: Arrival): Transition => typeOf(step).enter(step, arrival)

export const describeType = (step: StepOutline): string => typeOf(step).describe(step)

/** Describes a step for operators, such as "2 of 3: WAIT 30 days". `position` is zero-based. */
export function describeStep(steps: readonly StepOutline[], position: number): string {
  const step = steps[position]
  return step ? `${position + 1} of ${steps.length}: ${describeType(step)}` : 'end'
}
