import { createHash } from 'node:crypto'
import { number, object, string } from 'yup'
import { atMost, filledText, id, text } from '../../http/index.ts'
import { type EmailContent, MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../../rendering/index.ts'
import { EMAIL_CATEGORIES, type EmailCategory } from '../../sequences/index.ts'
import { stepId } from './fields.ts'
import type { AutomationStepType } from './step-type.ts'

export interface EmailStep extends EmailContent {
  id: string
  type: 'EMAIL'
  category: EmailCategory
}

export interface EmailInput {
  id?: string | undefined
  type: 'EMAIL'
  category?: EmailCategory | undefined
  subject: string
  html?: string | null | undefined
  text?: string | null | undefined
}

const LIQUID = 'A Liquid template that knows contact.email, contact.firstName and contact.metadata.'

const category = () =>
  string()
    .oneOf(EMAIL_CATEGORIES)
    .meta({
      description:
        'marketing, where nothing is said: it goes to nobody who has unsubscribed. transactional is for what somebody has to get: a ' +
        'receipt, a password.',
      example: 'marketing',
    })

const input = object({
  id: stepId(),
  type: string()
    .oneOf(['EMAIL'] as const)
    .required(),
  category: category(),
  subject: filledText()
    .required()
    .test(atMost(MAX_SUBJECT_LENGTH))
    .meta({ description: LIQUID, example: 'Welcome, {{ contact.firstName }}!' }),
  html: text().nullable().test(atMost(MAX_BODY_LENGTH)).meta({ description: LIQUID }),
  text: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: LIQUID, example: 'Good to have you here.' }),
})
  .required()
  .meta({ component: 'EmailStepInput', description: 'Sends one email.' })

const shape = object({
  id: id('step'),
  type: string()
    .oneOf(['EMAIL'] as const)
    .required(),
  position: number().integer().min(0).required().meta({ description: 'Zero-based.', example: 0 }),
  category: category().required(),
  subject: string().required().meta({ example: 'Welcome, {{ contact.firstName }}!' }),
  html: string().nullable().defined().meta({ example: null }),
  text: string().nullable().defined().meta({ example: 'Good to have you here.' }),
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
  fromInput: (given, id) => ({ id, type: given.type, category: given.category ?? 'marketing', ...contentOf(given) }),
  toAnswer: ({ id, type, category, subject, html, text }, position) => ({
    id,
    type,
    position,
    category,
    subject,
    html,
    text,
    delayMinutes: 0,
  }),
  store({ id, type, category, ...content }, contents) {
    const hash = hashOf(content)
    contents.set(hash, content)
    return { id, type, content: hash, ...(category === 'transactional' && { category }) }
  },
  restore({ id, type, content: hash, category }, contents) {
    const content = contents.get(hash)
    if (!content) throw new Error(`The content of step ${id} is missing`)
    return { id, type, category: category ?? 'marketing', ...content }
  },
  contentOf: ({ content }) => content,
  lacks: ({ html, text }) => (html || text ? undefined : 'is an email without a body: give it html, text or both'),
  templates: contentOf,
}

function contentOf({ subject, html = null, text = null }: EmailInput): EmailContent {
  return { subject, html, text }
}

/** A length before each text keeps texts apart. */
function hashOf({ subject, html, text }: EmailContent): string {
  const hash = createHash('sha256')
  for (const part of [subject, html, text]) hash.update(`${part?.length ?? -1}:`).update(part ?? '')
  return hash.digest('hex')
}
