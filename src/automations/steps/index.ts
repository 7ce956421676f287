/** The step types of the API: see `AutomationStepType`. */
import { lazy, object, string, type AnyObject, type ObjectSchema } from 'yup'
import { STEP_TYPES, type StepType, type StoredStep } from '../../automation-engine/index.ts'
import type { EmailContent } from '../../rendering/index.ts'
import { email } from './email.ts'
import type { AutomationStepType, Contents } from './step-type.ts'
import { wait } from './wait.ts'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each entry has a step and an input of its own
const STEPS = { EMAIL: email, WAIT: wait } satisfies { [Type in StepType]: AutomationStepType<Type, any, any> }

type Steps = typeof STEPS
/** A complete step. */
export type Step = ReturnType<Steps[StepType]['fromInput']>
/** The input of a step. With the ID of an existing step it replaces that one. Without an ID it is new. */
export type StepInput = Parameters<Steps[StepType]['fromInput']>[0]

const typeOf = ({ type }: { type: StepType }) => STEPS[type] as AutomationStepType<StepType, Step, StepInput>

const unknownType = object({ type: string().oneOf(STEP_TYPES).required() })

/** The schema of a step in a request. */
export const stepInput = lazy((value: unknown): ObjectSchema<StepInput> => {
  const type =
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'type')
      ? (value as { type: unknown }).type
      : undefined
  const schema = typeof type === 'string' && Object.hasOwn(STEPS, type) ? STEPS[type as StepType].input : unknownType
  return schema as unknown as ObjectSchema<StepInput>
}).meta({ component: 'StepInput', variants: Object.values(STEPS).map(({ input }) => input) })

/** The schema of a step in a response. */
export const stepResponse = lazy((step: { type: StepType }) => STEPS[step.type].shape).meta({
  component: 'Step',
  variants: Object.values(STEPS).map(({ shape }) => shape),
})

export const presentStep = (step: Step, position: number): AnyObject => typeOf(step).toAnswer(step, position)

export const withId = (input: StepInput, id: string): Step => typeOf(input).fromInput(input, id)

/** Splits steps into what a version stores, and the contents of its emails. */
export function storeSteps(steps: readonly Step[]): { stored: StoredStep[]; contents: Contents } {
  const contents: Contents = new Map()
  return { stored: steps.map((step) => typeOf(step).store(step, contents)), contents }
}

/** The hashes of the contents of a version's steps. */
export const hashesOf = (stored: readonly StoredStep[]): string[] =>
  stored.flatMap((step) => typeOf(step).contentOf(step) ?? [])

export const restoreSteps = (stored: readonly StoredStep[], contents: Contents): Step[] =>
  stored.map((step) => typeOf(step).restore(step, contents))

/** The reason why a step keeps its automation from being ACTIVE. */
export const missingFieldOf = (input: StepInput): string | undefined => typeOf(input).lacks(input)

/** The templates of a step, which must be renderable. */
export const templatesOf = (input: StepInput): EmailContent | undefined => typeOf(input).templates(input)
