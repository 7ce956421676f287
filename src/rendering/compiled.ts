import type { EmailContent, UnknownVariable, UsedVariable } from './content.ts'

/** The formats of a template's body. */
export const TEMPLATE_FORMATS = ['HTML', 'MJML'] as const
type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** A full email, a frame around emails, or a fragment that several emails share. */
export const TEMPLATE_KINDS = ['EMAIL', 'LAYOUT', 'PARTIAL'] as const
export type TemplateKind = (typeof TEMPLATE_KINDS)[number]

/** The source of a template in one language. */
export interface TemplateSource {
  format: TemplateFormat
  subject: string | null
  /** Shown by mail clients after the subject. */
  previewText: string | null
  /** HTML or MJML with Liquid. */
  html: string | null
  /** Generated from the HTML if null. */
  text: string | null
}

export type SourceField = Exclude<keyof TemplateSource, 'format'>

export interface CompileInput {
  kind: TemplateKind
  source: TemplateSource
  /** The HTML of its layout. */
  layout: string | null
  /** The HTML of the partials that it includes, by name. */
  partials: Readonly<Record<string, string>>
  /** The language of a translation (BCP 47); `null` for the template's own content. */
  locale: string | null
}

/** The maximum nesting depth of partials. */
export const MAX_DEPTH = 5

export interface CompileProblem {
  field: SourceField
  /** A message, with `line:` and `col:` if known. */
  problem: string
  /** Set if line and column refer to the source, and not to the compiled HTML. */
  isOfSource: boolean
}

export interface CompiledTemplate {
  /** The content to render for each recipient; `null` if there are problems, and for a partial. */
  content: EmailContent | null
  problems: CompileProblem[]
  /** Probable mistakes, such as attributes that MJML ignores. They do not prevent saving. */
  warnings: CompileProblem[]
  variables: UsedVariable[]
  unknownVariables: UnknownVariable[]
}
