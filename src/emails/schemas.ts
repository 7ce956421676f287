import { array, mixed, number, object, string } from 'yup'
import { atMost, boundedObject, cursorQuery, filledText, givenId, instant, parse, text } from '../http/index.ts'
import { invalid } from '../platform/api-error.ts'
import { findJsonFault } from '../platform/json.ts'
import { isEmailAddress, isMailbox } from '../platform/email-address.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../rendering/index.ts'
import { type EmailInput, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS, MAX_BATCH, MAX_SCHEDULE_DAYS } from './email.ts'

/** The most that `data` may have, in bytes as JSON. */
const MAX_DATA_BYTES = 64 * 1024
const MAX_TAGS = 10
const MAX_TAG_LENGTH = 100
export const MAX_HEADERS = 20
export const MAX_FILENAME_LENGTH = 255
/** A header line has at most 998 characters (RFC 5322, section 2.1.1). */
const MAX_HEADER_LENGTH = 900
/** The IDs of a thread are folded. */
const MAX_REFERENCES_LENGTH = 10_000
const maxLengthOf = (header: string): number =>
  /^references$/i.test(header) ? MAX_REFERENCES_LENGTH : MAX_HEADER_LENGTH
const MAX_ADDRESS_LENGTH = 254
const DAY_MS = 24 * 60 * 60_000

/** Headers that an email may set: those that neither address the email nor describe its format. */
const SAFE_HEADER =
  /^(?:X-[A-Za-z0-9_-]{1,70}|List-[A-Za-z-]{1,30}|In-Reply-To|References|Importance|Priority|Precedence|Auto-Submitted|Feedback-ID)$/i
/** Visible ASCII on one line. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

const oneLine = () =>
  filledText().matches(/^\P{Cc}*$/u, ({ path }) => `${path} must not contain line breaks or control characters`)

const address = (description: string, example: string) => {
  const message = ({ path }: { path: string }) =>
    `${path} must be exactly one email address, such as ada@example.com. For several recipients, send one email to each (POST /emails/batch)`
  return string()
    .typeError(message)
    .test({
      name: 'address',
      message,
      test: (value) => value === undefined || (value.length <= MAX_ADDRESS_LENGTH && isEmailAddress(value)),
    })
    .meta({ description, json: { format: 'email' }, example })
}

const mailbox = () =>
  oneLine()
    .test(atMost(300))
    .test({
      name: 'mailbox',
      message: ({ path }) => `${path} must be an address, or a name and an address as "Orchard <hello@example.com>"`,
      // A quotation mark would end the name within the header.
      test: (value) =>
        value === undefined || (isMailbox(value) && /^(?:"(?:[^"\\]|\\["\\])*"\s*|[^"\\]*)(?:<[^"]*>)?$/.test(value)),
    })

const headers = () =>
  mixed<Record<string, string>>()
    .test('headers', (value, { path, createError }) => {
      const message = value === undefined ? undefined : headerProblem(value)
      return message === undefined || createError({ path, message: `${path} ${message}` })
    })
    .meta({
      description:
        'Additional headers: names that begin with X- or List-, In-Reply-To, References, Importance, Priority, Precedence, Auto-Submitted and Feedback-ID.',
      json: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: MAX_HEADERS },
      example: { 'X-Order-ID': '4711' },
    })

/** Returns whether an email may have a header. */
export const isAllowedHeader = (name: string, value: string): boolean =>
  SAFE_HEADER.test(name) && value.length <= maxLengthOf(name) && HEADER_VALUE.test(value)

function headerProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object'
  const entries = Object.entries(value)
  if (entries.length > MAX_HEADERS) return `must not have more than ${MAX_HEADERS} headers`
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length) return 'must not have the same header twice'
  for (const [name, content] of entries) {
    const shown = name.replace(/[^\x20-\x7e]/g, '?').slice(0, 50)
    if (!SAFE_HEADER.test(name)) return `must not have the header ${shown}. Custom headers begin with X-`
    if (typeof content !== 'string' || content.length > maxLengthOf(name) || !HEADER_VALUE.test(content))
      return `has a value of ${shown} that is not one line of at most ${maxLengthOf(name)} ASCII characters`
  }
  return undefined
}

/** Base64 with padding (RFC 4648, section 4). */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A MIME type, and parameters such as `; method=REQUEST` (RFC 2045, section 5.1). */
const CONTENT_TYPE =
  /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:\s*;\s*[\w.+*-]{1,50}=(?:[\w.:/+-]{1,200}|"[^"\\\x00-\x1f\x7f-\uffff]{0,200}")){0,10}$/ // eslint-disable-line no-control-regex -- they are excluded
/** Visible ASCII, except what ends the ID in a header or in HTML. */
const CONTENT_ID = /^[^"'<>\\\x00-\x20\x7f-\uffff]{1,200}$/ // eslint-disable-line no-control-regex -- they are excluded
export const isContentType = (text: string): boolean => CONTENT_TYPE.test(text)
export const isContentId = (text: string): boolean => CONTENT_ID.test(text)

const attachment = object({
  filename: oneLine()
    .required()
    .test(atMost(MAX_FILENAME_LENGTH))
    .matches(/^[^/\\]*$/, ({ path }) => `${path} must be a name without a path`)
    // They can make `invoice[U+202E]fdp.exe` look like a PDF (Unicode, UAX #9).
    .matches(/^\P{Bidi_Control}*$/u, ({ path }) => `${path} must not contain bidirectional control characters`)
    .meta({ description: 'The name of the file, without a path.', example: 'receipt.pdf' }),
  content: string()
    .defined(({ path }) => `${path} is required`)
    .test({
      name: 'base64',
      message: ({ path }) => `${path} must be base64 with padding`,
      test: (value) => value === undefined || (value.length % 4 === 0 && BASE64.test(value)),
    })
    .meta({ description: 'The content as base64.', json: { contentEncoding: 'base64' }, example: 'SGVsbG8=' }),
  contentType: string()
    .matches(CONTENT_TYPE, ({ path }) => `${path} must be a MIME type such as application/pdf`)
    .meta({
      description:
        'The MIME type. The default is guessed from the filename. text/calendar; method=REQUEST is sent as an invitation.',
      example: 'application/pdf',
    }),
  contentId: string()
    .matches(CONTENT_ID, ({ path }) => `${path} must be ASCII characters without spaces, quotation marks, < > and \\`)
    .meta({
      description: 'For a picture in the HTML: it is shown where the HTML has src="cid:…". Otherwise it is a file.',
      example: 'logo',
    }),
})
  .required()
  .meta({ synonyms: { name: 'filename', type: 'contentType', cid: 'contentId' } })

const fields = {
  to: address('The recipient: one address, with or without a contact.', 'ada@example.com').required('to is required'),
  from: mailbox().meta({
    description: "The sender, at the domain of the workspace's sender. The default is the workspace's sender.",
    example: 'Orchard <receipts@example.com>',
  }),
  replyTo: mailbox().meta({
    description: 'The address for replies, with or without a name, if it is not that of the sender.',
    example: 'Support <support@example.com>',
  }),
  subject: oneLine().test(atMost(MAX_SUBJECT_LENGTH)).meta({
    description: 'Required without a template. It is sent as it is: only templates have variables.',
    example: 'Your receipt',
  }),
  html: text().test(atMost(MAX_BODY_LENGTH)).meta({ description: 'The HTML, sent as it is.' }),
  text: text()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: 'The text, sent as it is.', example: 'Thank you for your order.' }),
  templateId: givenId('A template of the kind EMAIL, instead of subject, html and text.').optional(),
  templateVersion: number()
    .integer()
    .min(1)
    .max(1_000_000_000)
    .meta({ description: 'The version of the template. The default is the current one.', example: 3 }),
  data: boundedObject(MAX_DATA_BYTES).meta({
    description: 'The values of the template: {{ data.total }}.',
    example: { total: '49.00' },
  }),
  headers: headers(),
  attachments: array()
    .of(attachment)
    .max(MAX_ATTACHMENTS)
    .test({
      name: 'size',
      message: ({ path }) => `${path} must not be larger than 10 MB in all`,
      test: (files) =>
        (files ?? []).reduce((sum, file) => sum + sizeOf((file as { content?: unknown } | null)?.content), 0) <=
        MAX_ATTACHMENT_BYTES,
    })
    .meta({ description: 'Files, up to 10 MB in all.' }),
  tags: array()
    .of(filledText().required().test(atMost(MAX_TAG_LENGTH)))
    .max(MAX_TAGS)
    .meta({ description: 'Your own labels, for finding the email.', example: ['receipt'] }),
  scheduledAt: instant('scheduledAt').test({
    name: 'future',
    message: ({ path }) => `${path} must be in the future, and within ${MAX_SCHEDULE_DAYS} days`,
    test: (value) => value === undefined || isNear(Date.parse(value) - Date.now()),
  }),
}

/** The size of a file, given as base64. Anything else is rejected by another test. */
const sizeOf = (content: unknown): number =>
  typeof content === 'string' ? (content.length / 4) * 3 - (/=*$/.exec(content.slice(-2))?.[0].length ?? 0) : 0

/** A client's clock may be a little fast. */
const isNear = (aheadMs: number): boolean =>
  Number.isNaN(aheadMs) || (aheadMs > -60_000 && aheadMs <= MAX_SCHEDULE_DAYS * DAY_MS)

const ONE_RECIPIENT = 'An email has one recipient. Send one to each with POST /emails/batch'

/** The names of these fields in other services. */
const SYNONYMS = {
  ...{ variables: 'data', props: 'data', mergeVariables: 'data', dynamic_template_data: 'data', TemplateModel: 'data' },
  ...{ htmlBody: 'html', textBody: 'text', body: 'text', sender: 'from', template: 'templateId' },
}

/** `POST /emails`. */
export const emailSchema = object(fields)
  .test('content', (value, { createError }) => {
    const has = (name: 'subject' | 'html' | 'text') => value[name] !== undefined
    if (value.templateId !== undefined) {
      const extra = (['subject', 'html', 'text'] as const).find(has)
      const message = `${extra} must be left out if there is a templateId: the template has it`
      return extra === undefined || createError({ path: extra, message })
    }
    if (value.templateVersion !== undefined)
      return createError({ path: 'templateVersion', message: 'templateVersion needs a templateId' })
    if (value.data !== undefined)
      return createError({ path: 'data', message: 'data needs a templateId: only templates have variables' })
    if (!has('subject')) return createError({ path: 'subject', message: 'subject is required, or a templateId' })
    return (
      has('html') || has('text') || createError({ path: 'text', message: 'html or text is required, or a templateId' })
    )
  })
  .meta({ component: 'EmailInput', synonyms: SYNONYMS, instead: { cc: ONE_RECIPIENT, bcc: ONE_RECIPIENT } })

/** `GET /emails`. */
export const emailsQuery = cursorQuery({
  tag: filledText()
    .test(atMost(MAX_TAG_LENGTH))
    .meta({ description: 'Only emails with this tag.', example: 'receipt' }),
})

/** `POST /emails/batch`. Items are validated one by one, so that an invalid one does not affect the others. */
export const batchSchema = object({
  emails: array()
    .required('emails is required')
    .min(1)
    .max(MAX_BATCH, `emails array must not exceed ${MAX_BATCH} items`)
    .meta({ description: 'An invalid item does not affect the others.', variants: [emailSchema] }),
})

/** Checks an item of a batch. @throws {ApiError} */
export function checkEmail(item: unknown): EmailInput {
  const fault = findJsonFault(item)
  if (fault) throw invalid(fault)
  return toInput(parse(emailSchema, item))
}

/** Decodes the attachments of a checked request. */
export function toInput(body: ReturnType<typeof emailSchema.validateSync>): EmailInput {
  const { attachments, ...rest } = body
  return {
    ...rest,
    tags: rest.tags?.filter((tag) => tag !== undefined),
    attachments: attachments?.map((file) => ({ ...file, content: Buffer.from(file.content, 'base64') })),
  }
}
