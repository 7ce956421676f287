import { array, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { TEMPLATE_KINDS } from '../rendering/index.ts'
import { design } from './design-schema.ts'
import { type Template, type TemplateVersion, WRITTEN_FORMATS, type WrittenContent } from './entities.ts'

const nullable = (example: string | null = null, description?: string) =>
  string()
    .nullable()
    .defined()
    .meta({ example, ...(description === undefined ? {} : { description }) })

const head = {
  id: id('template'),
  name: string().required().meta({ example: 'Welcome' }),
  kind: string().oneOf(TEMPLATE_KINDS).required().meta({ example: 'EMAIL' }),
  version: count('The newest: each change of what it says makes another one.', 1),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last changed.'),
}

/** A template, as an item of the list. */
export const templateSummaryResponse = object({ ...head, subject: nullable('Welcome, {{ contact.firstName }}!') })
  .required()
  .meta({ component: 'TemplateSummary' })

const said = {
  subject: nullable('Welcome, {{ contact.firstName }}!'),
  previewText: nullable('Good to have you here'),
  html: nullable('<p>Hello {{ contact.firstName }}</p>'),
  text: nullable(),
  design: design(),
}

/** A template, with what it says. */
export const templateResponse = object({
  ...head,
  format: string().oneOf(WRITTEN_FORMATS).required().meta({ example: 'HTML' }),
  ...said,
  layoutId: nullable(null, 'The layout that it is in.'),
  translations: array()
    .of(object({ locale: string().required().meta({ example: 'de' }), ...said }).required())
    .required()
    .meta({ description: 'What it says in other languages; null: as in its own.' }),
  writtenAt: timestamp('When this version was written.'),
})
  .required()
  .meta({
    component: 'Template',
    description: 'An email that is kept, or what is around emails, or stands in several of them.',
  })

export const presentTemplateSummary = (
  template: Pick<Template, 'id' | 'name' | 'kind' | 'version' | 'createdAt' | 'updatedAt'>,
  subject: string | null,
) => ({
  id: template.id,
  name: template.name,
  kind: template.kind,
  version: template.version,
  createdAt: template.createdAt.toISOString(),
  updatedAt: template.updatedAt.toISOString(),
  subject,
})

export const presentTemplate = (template: Template, written: TemplateVersion): InferType<typeof templateResponse> => {
  const { translations, ...source } = written.source
  return {
    ...presentTemplateSummary(template, source.subject),
    version: written.version,
    format: source.format,
    ...presentContent(source),
    layoutId: source.layoutId,
    translations: Object.entries(translations).map(([locale, each]) => ({ locale, ...presentContent(each) })),
    writtenAt: written.createdAt.toISOString(),
  }
}

const presentContent = ({ subject, previewText, html, text, design }: WrittenContent) => ({
  subject,
  previewText,
  html,
  text,
  ...(design && { design }),
})

/** What writing one answers besides. */
export const versionsResponse = array()
  .of(
    object({
      version: count('Its number.', 1),
      createdAt: timestamp('When it was written.'),
    }).required(),
  )
  .required()

const FIELDS = ['subject', 'previewText', 'html', 'text', 'design'] as const

/** An email as somebody would get it, and what speaks against it. */
export const templatePreviewResponse = object({
  to: string().required().meta({ example: 'ada@example.com' }),
  locale: nullable('de', 'In which of its languages; null: its own.'),
  subject: nullable('Welcome, Ada!', 'Null where it cannot be rendered.'),
  html: nullable('<p>Hello Ada</p>'),
  text: nullable('Hello Ada'),
  mjml: nullable('<mjml>…</mjml>', 'Of blocks: what they come to, to go on with as code; null where it is code.'),
  bytes: number().integer().min(0).required().meta({ description: 'Of its HTML, as UTF-8.', example: 18_000 }),
  links: array()
    .of(string().required().meta({ example: 'https://example.com/start' }))
    .required()
    .meta({ description: 'Where it leads, each once.' }),
  warnings: array()
    .of(
      object({
        code: string().required().meta({ example: 'clipped' }),
        message: string().required().meta({ example: 'Gmail cuts an email off behind 102 KB of HTML' }),
      }).required(),
    )
    .required()
    .meta({ description: 'What is mostly not meant, or looks like spam to filters.' }),
  problems: array()
    .of(
      object({
        field: string().oneOf(FIELDS).required(),
        line: number().integer().min(1).nullable().defined().meta({ example: 3 }),
        column: number().integer().min(1).nullable().defined().meta({ example: 7 }),
        problem: string().required(),
      }).required(),
    )
    .required()
    .meta({ description: 'Why it cannot be rendered; empty where it can.', example: [] }),
  unknownVariables: array()
    .of(
      object({
        field: string().oneOf(FIELDS).required(),
        variable: string().required(),
        nearest: string().nullable().defined(),
      }).required(),
    )
    .required()
    .meta({ description: 'Variables that no email has a value for.', example: [] }),
})
  .required()
  .meta({ component: 'TemplatePreview' })
