import { createHash } from 'node:crypto'
import { number, object, string } from 'yup'
import { atMost, filledText, id, text, nullableText } from '../../http/index.ts'
import { type EmailContent, MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../../rendering/index.ts'
import { EMAIL_CATEGORIES, type EmailCategory } from '../../automation-engine/index.ts'
import { design, type Design } from '../../templates/index.ts'
import type { DesignSource } from './design-source.ts'
import { stepId, stepName } from './fields.ts'
import type { AutomationStepType, StepBase } from './step-type.ts'

export interface EmailStep extends EmailContent, StepBase<'EMAIL'> {
  category: EmailCategory
  /** The version of the template that the content is from; `null` if the step has its own content. */
  template: { id: string; version: number } | null
  /** The contents in other languages, by locale. */
  translations: Record<string, EmailContent>
  /** `null` if the step is not of blocks, or from a template. */
  source: DesignSource | null
}

export interface EmailInput {
  id?: string | undefined
  type: 'EMAIL'
  name?: string | null | undefined
  category?: EmailCategory | undefined
  /** Replaces the step's own content. */
  templateId?: string | null | undefined
  templateVersion?: number | null | undefined
  subject?: string | undefined
  html?: string | null | undefined
  text?: string | null | undefined
  /** Replaces `html`. */
  design?: Design | undefined
  previewText?: string | null | undefined
  /** The content compiled from `design`, by `withDesigns`. */
  compiled?: EmailContent | undefined
  /** The template's content, which `withTemplates` loads. */
  made?: { version: number; content: EmailContent; translations: Record<string, EmailContent> } | undefined
}

const MAX_PREVIEW_TEXT_LENGTH = 1_000

const LIQUID = 'A Liquid template with the variables contact.email, contact.firstName and contact.metadata.'

const category = () =>
  string()
    .oneOf(EMAIL_CATEGORIES)
    .meta({
      description:
        'The default is marketing, which is not sent to unsubscribed contacts. transactional is for emails that contacts must get, such as ' +
        'receipts and passwords.',
      example: 'marketing',
    })

const input = object({
  id: stepId(),
  type: string()
    .oneOf(['EMAIL'] as const)
    .required(),
  name: stepName(),
  category: category(),
  templateId: text().nullable().meta({
    description: 'A template of the kind EMAIL. If set, subject, html and text are ignored.',
    isId: true,
    example: null,
  }),
  templateVersion: number().integer().min(1).max(1_000_000_000).nullable().meta({
    description: 'The version of the template. The default is the current one. Later versions do not affect the step.',
    example: null,
  }),
  // Ignored if there is a template.
  subject: text()
    .test(atMost(MAX_SUBJECT_LENGTH))
    .meta({
      description: LIQUID,
      json: filledText().spec.meta?.json ?? {},
      example: 'Welcome, {{ contact.firstName | default: "friend" }}!',
    }),
  html: text().nullable().test(atMost(MAX_BODY_LENGTH)).meta({ description: LIQUID }),
  text: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({
      description: `${LIQUID} With a design, null means that it is generated.`,
      example: 'Good to have you here.',
    }),
  design: design().meta({ description: 'The blocks of the email. If set, html is ignored and made from it.' }),
  previewText: text().nullable().test(atMost(MAX_PREVIEW_TEXT_LENGTH)).meta({
    description: 'Shown by mail clients after the subject. Only with a design: other emails have it in their HTML.',
    example: null,
  }),
})
  .required()
  .meta({ ignored: ['position', 'delayMinutes'] })
  .test({
    name: 'previewed',
    test: ({ previewText, design: blocks, templateId }, { path, createError }) =>
      templateId != null ||
      previewText == null ||
      blocks !== undefined ||
      createError({ path: `${path}.previewText`, message: `${path}.previewText requires a design` }),
  })
  .test({
    name: 'said',
    test(value, { path, createError }) {
      if (value.templateId != null) return true
      const message =
        value.subject === undefined
          ? `${path}.subject is required`
          : filledText().isValidSync(value.subject)
            ? undefined
            : `${path}.subject must not be empty`
      return message === undefined || createError({ path: `${path}.subject`, message })
    },
  })
  .meta({ component: 'EmailStepInput', description: 'Sends one email, from a template or with its own content.' })

const shape = object({
  id: id('step'),
  type: string()
    .oneOf(['EMAIL'] as const)
    .required(),
  name: string().nullable().defined().meta({ example: null }),
  position: number().integer().min(0).required().meta({ description: 'Zero-based.', example: 0 }),
  category: category().required(),
  templateId: nullableText('The template that the content is from. Null if the step has its own content.'),
  templateVersion: number().integer().min(1).nullable().defined().meta({ example: null }),
  subject: string().required().meta({ example: 'Welcome, {{ contact.firstName | default: "friend" }}!' }),
  html: nullableText('Null for an email of blocks.'),
  text: string().nullable().defined().meta({ example: 'Good to have you here.' }),
  design: design().meta({ description: 'The blocks of the email, if it is of blocks.' }),
  previewText: nullableText('The text that mail clients show after the subject, of an email of blocks.'),
  delayMinutes: number()
    .oneOf([0] as const)
    .required(),
})
  .required()
  .meta({ component: 'EmailStep', description: 'Sends one email.' })

/** Sends one email. Subject and bodies are Liquid templates; see `src/rendering/content.ts` for their variables. */
export const email: AutomationStepType<'EMAIL', EmailStep, EmailInput> = {
  input,
  shape,
  fromInput: (given, id) => ({
    id,
    type: given.type,
    ...(given.name != null && { name: given.name }),
    category: given.category ?? 'marketing',
    ...(given.made && given.templateId != null
      ? {
          ...given.made.content,
          template: { id: given.templateId, version: given.made.version },
          translations: given.made.translations,
          source: null,
        }
      : { ...contentOf(given), template: null, translations: {}, source: sourceOf(given) }),
  }),
  toAnswer: ({ id, type, name, category, template, subject, html, text, source }, position) => ({
    id,
    type,
    name: name ?? null,
    position,
    category,
    templateId: template?.id ?? null,
    templateVersion: template?.version ?? null,
    subject,
    // It would repeat the design, and is made from it again.
    html: source ? null : html,
    text: source ? source.text : text,
    ...(source && { design: source.design }),
    previewText: source?.previewText ?? null,
    delayMinutes: 0,
  }),
  store({ id, type, name, category, template, translations, source, ...content }, contents) {
    const hashes = Object.entries(translations).map(([locale, translated]) => {
      const hash = hashOf(translated)
      contents.set(hash, { ...translated, translations: {}, source: null })
      return [locale, hash] as const
    })
    const hash = hashOf(content, hashes, source)
    contents.set(hash, { ...content, translations: Object.fromEntries(hashes), source })
    return {
      id,
      type,
      ...(name !== undefined && { name }),
      content: hash,
      ...(category === 'transactional' && { category }),
      ...(template && { template }),
    }
  },
  restore({ id, type, name, content: hash, category, template }, contents) {
    const content = contents.get(hash)
    if (!content) throw new Error(`The content of step ${id} is missing`)
    const { translations, source, ...own } = content
    const restored = Object.entries(translations).flatMap(([locale, translatedHash]) => {
      const { subject, html, text } = contents.get(translatedHash) ?? content
      return [[locale, { subject, html, text }] as const]
    })
    return {
      id,
      type,
      ...(name !== undefined && { name }),
      category: category ?? 'marketing',
      template: template ?? null,
      ...own,
      translations: Object.fromEntries(restored),
      source: source ?? null,
    }
  },
  contentOf: ({ content }) => content,
  lacks({ html, text, made, design: blocks }) {
    if (made || text || (blocks ? blocks.blocks.length > 0 : html)) return undefined
    return `is an email without a body, and needs ${blocks ? 'blocks' : 'html, text or both'}`
  },
  templates: (given) =>
    given.made
      ? []
      : [{ content: contentOf(given), pathOf: (field) => [given.compiled && field === 'html' ? 'design' : field] }],
}

function contentOf({ subject = '', html = null, text = null, compiled }: EmailInput): EmailContent {
  return compiled ?? { subject, html, text }
}

const sourceOf = ({
  design: blocks,
  previewText = null,
  text: plain = null,
  compiled,
}: EmailInput): DesignSource | null => (blocks && compiled ? { design: blocks, previewText, text: plain } : null)

/** The length before each text makes the hash unambiguous. */
function hashOf(
  { subject, html, text }: EmailContent,
  translations: (readonly [string, string])[] = [],
  source: DesignSource | null = null,
): string {
  const hash = createHash('sha256')
  for (const part of [subject, html, text]) hash.update(`${part?.length ?? -1}:`).update(part ?? '')
  for (const [locale, translated] of translations) hash.update(`${locale}=${translated}`)
  if (source) hash.update(JSON.stringify(source))
  return hash.digest('hex')
}
