import type { EmailContent, UnknownVariable } from './content.ts'

/** In what a template's body is written. */
export const TEMPLATE_FORMATS = ['HTML', 'MJML'] as const
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** An email; what is around emails; what stands in several of them. */
export const TEMPLATE_KINDS = ['EMAIL', 'LAYOUT', 'PARTIAL'] as const
export type TemplateKind = (typeof TEMPLATE_KINDS)[number]

/** A template as somebody writes it, in one language. */
export interface TemplateSource {
  format: TemplateFormat
  subject: string | null
  /** What mailboxes show behind the subject. */
  previewText: string | null
  /** HTML or MJML with Liquid. */
  html: string | null
  /** Made of the HTML where it is null. */
  text: string | null
}

export type SourceField = Exclude<keyof TemplateSource, 'format'>

export interface CompileInput {
  kind: TemplateKind
  source: TemplateSource
  /** The HTML of the layout that it is in. */
  layout: string | null
  /** The HTML of those that it names, by their names. */
  partials: Readonly<Record<string, string>>
}

/** How deep partials may lie in each other. */
export const MAX_DEPTH = 5

export interface CompileProblem {
  field: SourceField
  /** In words; with `line:` and `col:` where there are such. */
  problem: string
  /** Whether these are of what was written, and not of what it has become. */
  isOfSource: boolean
}

export interface CompiledTemplate {
  /** What is rendered for each recipient; `null` where something is wrong, and of a partial. */
  content: EmailContent | null
  problems: CompileProblem[]
  unknownVariables: UnknownVariable[]
}
