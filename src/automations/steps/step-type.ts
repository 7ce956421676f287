import type { AnyObject, ISchema, ObjectSchema } from 'yup'
import type { StepType, StoredStep } from '../../automation-engine/index.ts'
import type { EmailContent } from '../../rendering/index.ts'
import type { DesignSource } from './design-source.ts'
import type { TextPath } from '../webhook-texts.ts'

/** The content of an email, and the hashes of its translations by locale. */
export interface StoredContent extends EmailContent {
  translations: Record<string, string>
  /** The source of an email of blocks. */
  source: DesignSource | null
}

/** The contents of emails by their hash. */
export type Contents = Map<string, StoredContent>

/** The fields of every complete step. */
export interface StepBase<Type extends StepType> {
  id: string
  type: Type
  /** A name for reports, unique in the automation. */
  name?: string
}

/** The input of a step. With the ID of an existing step it replaces that one. Without an ID it is new. */
export type StepFields<Step extends { name?: string }> = Omit<Step, 'id' | 'name'> & {
  id?: string | undefined
  name?: string | null | undefined
}

/** A template of a step. */
export interface StepTemplate {
  content: EmailContent
  /** Returns the place of a field of the content in the step. */
  pathOf: (field: keyof EmailContent) => TextPath
}

/** The schemas of a list of steps inside a branch. */
export interface Nested {
  input: ISchema<unknown>
  response: ISchema<unknown>
}

/** The steps of one branch of an input. */
export interface Branch<Child> {
  /** The name of the branch in the stored tree. */
  branch: string
  /** The place of its steps in the input, such as `branches[0].steps`. */
  path: string
  steps: readonly Child[]
}

/**
 * The API's part of a step type. The automation engine's part is in `src/automation-engine/steps`.
 *
 * @typeParam Step the complete step, without the steps of its branches. @typeParam Input the input, with more optional fields.
 * @typeParam Child the input of a step inside a branch.
 */
export interface AutomationStepType<Type extends StepType, Step extends StepBase<Type>, Input, Child = never> {
  /** The schema of the request. */
  input: ObjectSchema<AnyObject>
  /** The schema of the response. */
  shape: ObjectSchema<AnyObject>
  fromInput(input: Input, id: string): Step
  /** @param stepsOf returns the presented steps of a branch */
  toAnswer(step: Step, position: number, stepsOf: (branch: string) => AnyObject[]): AnyObject
  /** The branches of an input, for a type that has some. */
  childrenOf?(input: Input): Branch<Child>[]
  /** Copies an input with other steps in its branches, in the order of `childrenOf`. */
  withChildren?(input: Input, branches: readonly Child[][]): Input
  /** Converts a step to what a version stores. Puts contents into `contents`. */
  store(step: Step, contents: Contents): Extract<StoredStep, { type: Type }>
  restore(stored: Extract<StoredStep, { type: Type }>, contents: Contents): Step
  /** The hash of its content, if it has one. */
  contentOf?(stored: Extract<StoredStep, { type: Type }>): string | undefined
  /** The reason why an automation with this step must not be ACTIVE: "is an email without a body, …". */
  lacks?(input: Input): string | undefined
  /** Its templates, which must be renderable. */
  templates?(input: Input): StepTemplate[]
}
