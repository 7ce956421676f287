import type { ObjectSchema, AnyObject } from 'yup'
import type { StepOutline, StepType, StoredStep } from '../../automation-engine/index.ts'
import type { EmailContent } from '../../rendering/index.ts'

/** The content of an email, and the hashes of its translations by locale. */
export interface StoredContent extends EmailContent {
  translations: Record<string, string>
}

/** The contents of emails by their hash. */
export type Contents = Map<string, StoredContent>

/** The input of a step. With the ID of an existing step it replaces that one. Without an ID it is new. */
export type StepFields<Step> = Omit<Step, 'id'> & { id?: string | undefined }

/**
 * The API's part of a step type. The automation engine's part is in `src/automation-engine/steps`.
 *
 * @typeParam Step the complete step. @typeParam Input the input, with more optional fields.
 */
export interface AutomationStepType<Type extends StepType, Step extends { id: string; type: Type }, Input> {
  /** The schema of the request. */
  input: ObjectSchema<AnyObject>
  /** The schema of the response. */
  shape: ObjectSchema<AnyObject>
  fromInput(input: Input, id: string): Step
  toAnswer(step: Step, position: number): AnyObject
  /** Converts a step to what a version stores. Puts contents into `contents`. */
  store(step: Step, contents: Contents): Extract<StoredStep, { type: Type }>
  restore(stored: Extract<StoredStep, { type: Type }>, contents: Contents): Step
  /** The hash of its content, if it has one. */
  contentOf(stored: Extract<StoredStep, { type: Type }>): string | undefined
  /** The reason why an automation with this step must not be ACTIVE: "is an email without a body, …". */
  lacks(input: Input): string | undefined
  /** Its templates, which must be renderable. */
  templates(input: Input): EmailContent | undefined
}

export type OutlineOf<Type extends StepType> = Extract<StepOutline, { type: Type }>
