/** The content of an email before it is rendered: Liquid templates. */
export interface EmailContent {
  subject: string
  html: string | null
  text: string | null
}

/**
 * The variables of a template: `{{ contact.email }}`, `{{ contact.metadata.plan }}`, `{{ event.data.plan }}`, `{{
 * unsubscribeUrl }}`, `{{ confirmUrl }}`.
 */
export interface TemplateVariables {
  contact: { email: string; firstName: string | null; metadata: Record<string, unknown> }
  /** The event that triggered the automation; `null` if there was none. */
  event?: { name: string; data: unknown } | null
  /** The preferences page of the contact. */
  unsubscribeUrl?: string
  /** The page that confirms a list, in an email that requests the confirmation. */
  confirmUrl?: string
}

/** The fields of each variable. */
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

/** A problem of a template, and the field that has it. */
export interface TemplateProblem {
  field: keyof EmailContent
  problem: string
}

/** A variable that a template uses but that is never set, and the known variable that it resembles. */
export interface UnknownVariable {
  field: keyof EmailContent
  variable: string
  nearest: string | undefined
}

/** The result of a test rendering: problems, and probable mistakes. */
export interface TemplateFindings {
  problems: TemplateProblem[]
  unknownVariables: UnknownVariable[]
}

/** A template that cannot be parsed or rendered. The message names the field, the problem and its position. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** The maximum lengths of sources, in characters. */
export const MAX_SUBJECT_LENGTH = 1_000
export const MAX_BODY_LENGTH = 500_000

/** The instance is too busy to render now. This is not a problem of the template: try again later. */
export class RendererBusy extends Error {
  override readonly name: string = 'RendererBusy'
}

/** The renderer is closed because its process stops: try again in another process. */
export class RendererClosed extends RendererBusy {
  override readonly name = 'RendererClosed'

  constructor() {
    super('The template renderer is stopping')
  }
}
