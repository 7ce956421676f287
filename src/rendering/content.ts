/** What an email says, before it is rendered: Liquid templates. */
export interface EmailContent {
  subject: string
  html: string | null
  text: string | null
}

/** What a template can name: `{{ contact.email }}`, `{{ contact.metadata.plan }}`, `{{ event.data.plan }}`,
 * `{{ unsubscribeUrl }}`, `{{ confirmUrl }}`. */
export interface TemplateVariables {
  contact: { email: string; firstName: string | null; metadata: Record<string, unknown> }
  /** The event that the sequence was started by; `null` where it was started by something else. */
  event?: { name: string; data: unknown } | null
  /** Where whoever reads it says what they want to get. */
  unsubscribeUrl?: string
  /** Where she confirms that she wants to be in a list, of an email that asks her to. */
  confirmUrl?: string
}

/** What there is of each in `TemplateVariables`. */
export const VARIABLES: Readonly<Record<keyof TemplateVariables, readonly string[]>> = {
  contact: ['email', 'firstName', 'metadata'] satisfies (keyof TemplateVariables['contact'])[],
  event: ['name', 'data'] satisfies (keyof NonNullable<TemplateVariables['event']>)[],
  unsubscribeUrl: [],
  confirmUrl: [],
}

export interface RenderedEmail {
  subject: string
  html: string | null
  text: string | null
}

/** What is wrong with a template, and in which of the three. */
export interface TemplateProblem {
  field: keyof EmailContent
  problem: string
}

/** A variable that a template names and nobody gives, and the known one that it resembles. */
export interface UnknownVariable {
  field: keyof EmailContent
  variable: string
  nearest: string | undefined
}

/** What a trial has found: what is wrong, and what is most likely not meant. */
export interface TemplateFindings {
  problems: TemplateProblem[]
  unknownVariables: UnknownVariable[]
}

/** A template that can't be parsed or rendered. The message names the field, and says what is wrong and where in it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** The longest sources that are taken, in characters. */
export const MAX_SUBJECT_LENGTH = 1_000
export const MAX_BODY_LENGTH = 500_000

/** The machine was too busy to render it now, which says nothing about the template: to be tried again later. */
export class RendererBusy extends Error {
  override readonly name: string = 'RendererBusy'
}

/** It is closed, because its process stops: to be tried in another one. */
export class RendererClosed extends RendererBusy {
  override readonly name = 'RendererClosed'

  constructor() {
    super('The process that renders templates is stopping')
  }
}
