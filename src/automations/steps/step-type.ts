import type { ObjectSchema, AnyObject } from 'yup'
import type { StepOutline, StepType, StoredStep } from '../../automation-engine/index.ts'
import type { EmailContent } from '../../rendering/index.ts'

/** What an email says, and by locale the hash of what it says in that language. */
export interface StoredContent extends EmailContent {
  translations: Record<string, string>
}

/** Emails' contents by the hash that a version names them by. */
export type Contents = Map<string, StoredContent>

/** What a step of a type has in common with every other one, as it is given. An id keeps the step that it names; without one it is new. */
export type Given<Step> = Omit<Step, 'id'> & { id?: string | undefined }

/**
 * What the API knows of a type of step. What a sequence knows of it is in `src/automation-engine/steps`.
 *
 * @typeParam Step the step, whole. @typeParam Input the same as it is given, where more may be left out.
 */
export interface AutomationStepType<Type extends StepType, Step extends { id: string; type: Type }, Input> {
  /** What may come in. */
  input: ObjectSchema<AnyObject>
  /** What goes out. */
  shape: ObjectSchema<AnyObject>
  fromInput(input: Input, id: string): Step
  toAnswer(step: Step, position: number): AnyObject
  /** As a version keeps it. What is long is put into `contents`. */
  store(step: Step, contents: Contents): Extract<StoredStep, { type: Type }>
  restore(stored: Extract<StoredStep, { type: Type }>, contents: Contents): Step
  /** The hash of its content, where it has one. */
  contentOf(stored: Extract<StoredStep, { type: Type }>): string | undefined
  /** Why an automation with such a step may not be ACTIVE, and what would be right: "is an email without a body: …". */
  lacks(input: Input): string | undefined
  /** What of it has to be a template that can be rendered. */
  templates(input: Input): EmailContent | undefined
}

export type OutlineOf<Type extends StepType> = Extract<StepOutline, { type: Type }>
