import { array, boolean, number, object, string, type InferType } from 'yup'
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
  version: count('The current version. Each change of the content creates a version.', 1),
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
}

/** A template in a list. */
export const templateSummaryResponse = object({
  ...head,
  subject: nullable('Welcome, {{ contact.firstName | default: "friend" }}!'),
  useCounts: object({
    automations: count('Automations with an email from it, in their current version.', 2),
    campaigns: count('Campaigns with it, also those that were sent.', 3),
    templates: count('Templates that use this layout or partial.', 0),
  })
    .required()
    .meta({ description: 'What uses it.' }),
})
  .required()
  .meta({ component: 'TemplateSummary' })

const contentFields = {
  subject: nullable('Welcome, {{ contact.firstName | default: "friend" }}!'),
  previewText: nullable('Good to have you here'),
  html: nullable('<p>Hello {{ contact.firstName }}</p>'),
  text: nullable(),
  design: design(),
}

/** A template with its content. */
export const templateResponse = object({
  ...head,
  format: string().oneOf(WRITTEN_FORMATS).required().meta({ example: 'HTML' }),
  ...contentFields,
  layoutId: nullable(null, 'The ID of the layout.'),
  translations: array()
    .of(object({ locale: string().required().meta({ example: 'de' }), ...contentFields }).required())
    .required()
    .meta({ description: 'Translations. Null fields are taken from the main language.' }),
  variables: array()
    .of(
      object({
        name: string().required().meta({ example: 'data.total' }),
        isRequired: boolean().required().meta({
          description: 'True if it is printed without the filter default, and outside of conditions.',
          example: true,
        }),
      }).required(),
    )
    .required()
    .meta({ description: 'The variables that it uses, in all its languages. Empty for a partial.' }),
  writtenAt: timestamp('The time at which this version was created.'),
})
  .required()
  .meta({
    component: 'Template',
    description: 'A reusable email, layout or partial.',
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
    variables: written.variables,
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

/** The versions of a template. */
export const versionsResponse = array()
  .of(
    object({
      version: count('The version number.', 1),
      createdAt: timestamp('The time of creation.'),
    }).required(),
  )
  .required()

const FIELDS = ['subject', 'previewText', 'html', 'text', 'design'] as const

/** A rendered email, with lint warnings. */
export const templatePreviewResponse = object({
  to: string().required().meta({ example: 'ada@example.com' }),
  locale: nullable('de', 'The language that was used; null for its main language.'),
  subject: nullable('Welcome, Ada!', 'Null if it cannot be rendered.'),
  html: nullable('<p>Hello Ada</p>'),
  text: nullable('Hello Ada'),
  mjml: nullable('<mjml>…</mjml>', 'The blocks as MJML, to continue with as code. Null if the template is code.'),
  bytes: number().integer().min(0).required().meta({ description: 'The size of the HTML, as UTF-8.', example: 18_000 }),
  links: array()
    .of(string().required().meta({ example: 'https://example.com/start' }))
    .required()
    .meta({ description: 'The links in the email, without duplicates.' }),
  warnings: array()
    .of(
      object({
        code: string().required().meta({ example: 'clipped' }),
        message: string().required().meta({ example: 'Gmail clips emails with more than 102 KB of HTML' }),
        line: number().integer().min(1).nullable().defined().meta({ example: null }),
        column: number().integer().min(1).nullable().defined().meta({ example: null }),
      }).required(),
    )
    .required()
    .meta({
      description:
        'Warnings about probable mistakes and signs of spam. Those of MJML have the code `mjml` and a line of the source.',
    }),
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
    .meta({ description: 'The problems. Empty if the email can be rendered.', example: [] }),
  unknownVariables: array()
    .of(
      object({
        field: string().oneOf(FIELDS).required(),
        variable: string().required(),
        nearest: string().nullable().defined(),
      }).required(),
    )
    .required()
    .meta({ description: 'Variables that are never set.', example: [] }),
})
  .required()
  .meta({ component: 'TemplatePreview' })
