/** The step types of the API: see `AutomationStepType`. */
import { array, lazy, object, string, type AnyObject, type ISchema, type Lazy, type ObjectSchema } from 'yup'
import {
  type BranchRef,
  STEP_TYPES,
  type StepType,
  type StoredStep,
  withoutSuccessors,
  withSuccessors,
} from '../../automation-engine/index.ts'
import { condition, type ConditionInput, type ConditionStep } from './condition.ts'
import { email, type EmailInput, type EmailStep } from './email.ts'
import { exit, type ExitStep } from './exit.ts'
import { split, type SplitInput, type SplitStep } from './split.ts'
import type { AutomationStepType, Branch, Contents, Nested, StepFields, StepTemplate } from './step-type.ts'
import { updateContact, type UpdateContactStep } from './update-contact.ts'
import { wait, type WaitStep } from './wait.ts'
import { waitForEvent, type WaitForEventInput, type WaitForEventStep } from './wait-for-event.ts'
import { waitUntil, type WaitUntilInput, type WaitUntilStep } from './wait-until.ts'
import { webhook, type WebhookInput, type WebhookStep } from './webhook.ts'

/** A complete step, without its place in the tree. */
type BareStep =
  | EmailStep
  | WaitStep
  | WaitUntilStep
  | WaitForEventStep
  | ConditionStep
  | SplitStep
  | UpdateContactStep
  | WebhookStep
  | ExitStep
/** A complete step. Steps are in one list, each before those of its branches. */
export type Step = BareStep & { in?: BranchRef }
/** The input of a step. With the ID of an existing step it replaces that one. Without an ID it is new. */
export type StepInput =
  | EmailInput
  | StepFields<WaitStep>
  | WaitUntilInput
  | WaitForEventInput<StepInput>
  | ConditionInput<StepInput>
  | SplitInput<StepInput>
  | StepFields<UpdateContactStep>
  | WebhookInput
  | StepFields<ExitStep>

const typeNameOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'type')
    ? (value as { type: unknown }).type
    : undefined

/** Its other fields depend on the type: only the type is wrong. */
const unknownType = object({ type: string().oneOf(STEP_TYPES).required() }).meta({ open: true })

const inputSchemaOf = (value: unknown): ObjectSchema<StepInput> => {
  const type = typeNameOf(value)
  const schema = typeof type === 'string' && Object.hasOwn(STEPS, type) ? STEPS[type as StepType].input : unknownType
  return schema as unknown as ObjectSchema<StepInput>
}
const responseSchemaOf = (step: { type: StepType }): ObjectSchema<AnyObject> => STEPS[step.type].shape

/** Refers to the schema of a step by name: the OpenAPI document describes it where the list of steps is. */
const nested = (schemaOf: (value: never) => ObjectSchema<AnyObject>, component: string): ISchema<unknown> =>
  array()
    .of(lazy(schemaOf as (value: unknown) => ObjectSchema<AnyObject>).meta({ component }))
    .meta({ example: [] })
const children: Nested = {
  input: nested(inputSchemaOf, 'StepInput'),
  response: nested(responseSchemaOf, 'Step'),
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each entry has a step and an input of its own
type AnyType = AutomationStepType<any, any, any, StepInput>
const STEPS: Record<StepType, AnyType> = {
  EMAIL: email,
  WAIT: wait,
  WAIT_UNTIL: waitUntil,
  WAIT_FOR_EVENT: waitForEvent<StepInput>(children),
  CONDITION: condition<StepInput>(children),
  SPLIT: split<StepInput>(children),
  UPDATE_CONTACT: updateContact,
  WEBHOOK: webhook,
  EXIT: exit,
}

const typeOf = ({ type }: { type: StepType }) =>
  STEPS[type] as AutomationStepType<StepType, BareStep, StepInput, StepInput>

/** The schema of a step in a request. */
export const stepInput: Lazy<StepInput> = lazy(inputSchemaOf).meta({
  component: 'StepInput',
  variants: Object.values(STEPS).map(({ input }) => input),
})

/** The schema of a step in a response. */
export const stepResponse = lazy(responseSchemaOf).meta({
  component: 'Step',
  variants: Object.values(STEPS).map(({ shape }) => shape),
})

/** Presents a list of steps as a tree. */
export function presentSteps(steps: readonly Step[]): AnyObject[] {
  const present = (of: BranchRef | undefined): AnyObject[] =>
    steps
      .filter((step) => step.in?.step === of?.step && step.in?.branch === of?.branch)
      .map((step, position) => typeOf(step).toAnswer(step, position, (branch) => present({ step: step.id, branch })))
  return present(undefined)
}

/** Completes the input of a step. */
export const withId = (input: StepInput, id: string): Step => typeOf(input).fromInput(input, id)

/** The branches of an input; none for most types. */
export const childrenOf = (input: StepInput): Branch<StepInput>[] => typeOf(input).childrenOf?.(input) ?? []

/** Replaces each step of a tree. A step with branches is replaced before the steps in them. */
export const mapSteps = (steps: readonly StepInput[], replace: (step: StepInput) => StepInput): StepInput[] =>
  steps.map((step) => {
    const replaced = replace(step)
    const branches = childrenOf(replaced)
    if (branches.length === 0) return replaced
    return typeOf(replaced).withChildren!(
      replaced,
      branches.map((branch) => mapSteps(branch.steps, replace)),
    )
  })

/** Splits steps into what a version stores, and the contents of its emails. */
export function storeSteps(steps: readonly Step[]): { stored: StoredStep[]; contents: Contents } {
  const contents: Contents = new Map()
  const stored = steps.map((step) => ({ ...typeOf(step).store(step, contents), ...placeOf(step) }))
  return { stored: withSuccessors(stored), contents }
}

/** The hashes of the contents of a version's steps. */
export const hashesOf = (stored: readonly StoredStep[]): string[] =>
  stored.flatMap((step) => typeOf(step).contentOf?.(step) ?? [])

export const restoreSteps = (stored: readonly StoredStep[], contents: Contents): Step[] =>
  stored.map((step) => ({ ...typeOf(step).restore(withoutSuccessors(step), contents), ...placeOf(step) }))

const placeOf = (step: { in?: BranchRef }) => (step.in ? { in: step.in } : {})

/** The reason why a step keeps its automation from being ACTIVE. */
export const missingFieldOf = (input: StepInput): string | undefined => typeOf(input).lacks?.(input)

/** The templates of a step, which must be renderable. */
export const templatesOf = (input: StepInput): StepTemplate[] => typeOf(input).templates?.(input) ?? []
