/** The content of an email before it is rendered: Liquid templates. */
export interface EmailContent {
  subject: string
  html: string | null
  text: string | null
}

/** The contact as a template sees it. Samples have only some fields. */
interface ContactVariables {
  id?: string
  externalId?: string | null
  email: string
  firstName: string | null
  metadata: Record<string, unknown>
  /** The names of its tags and lists. They are read only if the template uses them: see `usesGroups`. */
  tags?: readonly string[]
  lists?: readonly string[]
  /** ISO 8601. */
  createdAt?: string
}

/**
 * The variables of a template: `{{ contact.email }}`, `{{ contact.metadata.plan }}`, `{{ event.data.plan }}`, `{{
 * steps.account.plan }}`, `{{ data.total }}`, `{{ unsubscribeUrl }}`, `{{ confirmUrl }}`.
 */
export interface TemplateVariables {
  contact: ContactVariables
  /** The event that triggered the automation; `null` if there was none. */
  event?: { name: string; data: unknown } | null
  /** The responses that webhooks of the automation saved, by name. */
  steps?: Readonly<Record<string, unknown>>
  /** The data of a transactional email. */
  data?: Readonly<Record<string, unknown>>
  /** The preferences page of the contact. */
  unsubscribeUrl?: string
  /** The page that confirms a list, in an email that requests the confirmation. */
  confirmUrl?: string
  /** The time zone of the contact. It is not a variable: the date filters use it. */
  timezone?: string | undefined
  /** The language of the contact (BCP 47), for the names of months and weekdays. It is not a variable either. */
  locale?: string | undefined
}

/** The fields of each variable. */
export const VARIABLES: Readonly<
  Record<Exclude<keyof TemplateVariables, 'timezone' | 'locale'>, readonly string[] | 'any'>
> = {
  contact: [
    'id',
    'externalId',
    'email',
    'firstName',
    'metadata',
    'tags',
    'lists',
    'createdAt',
  ] satisfies (keyof ContactVariables)[],
  event: ['name', 'data'] satisfies (keyof NonNullable<TemplateVariables['event']>)[],
  steps: 'any',
  data: 'any',
  unsubscribeUrl: [],
  confirmUrl: [],
}

/** A use of the whole contact, or of a field whose name is computed. */
const WHOLE_CONTACT = /contact\s*[^\s.\w]/

/** Returns whether a template may use `contact.tags` or `contact.lists`. */
export const usesGroups = (template: string | null): boolean =>
  template !== null && (template.includes('tags') || template.includes('lists') || WHOLE_CONTACT.test(template))

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

/** A variable that a template uses, such as `data.total`. */
export interface UsedVariable {
  name: string
  /** True if something is missing in the email without it. */
  isRequired: boolean
}

/** The result of a test rendering: problems, variables, and probable mistakes. */
export interface TemplateFindings {
  problems: TemplateProblem[]
  variables: UsedVariable[]
  unknownVariables: UnknownVariable[]
}

/** A template that cannot be parsed or rendered. The message names the field, the problem and its position. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** One of several texts that are rendered for one contact: with line breaks, or as a single line. */
export interface TemplateText {
  source: string
  isLine: boolean
}

/** The result of rendering several texts, or the problem of one of them. */
export type RenderedTexts = { texts: string[] } | { index: number; problem: string }

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
