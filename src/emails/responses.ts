import { array, number, object, string, type InferType } from 'yup'
import { count, id, nullableText, timestamp } from '../http/index.ts'
import { isAddressId } from '../contacts/index.ts'
import { MESSAGE_STATUSES } from '../messages/index.ts'
import type { EmailDetail } from './get-email.ts'

/** The status of an email is that of its message, or CANCELLED. */
const EMAIL_STATUSES = [...MESSAGE_STATUSES, 'CANCELLED'] as const

/** Events of an email. */
const EVENT_TYPES = [
  'accepted',
  'sent',
  'captured',
  'delivered',
  'failed',
  'unconfirmed',
  'suppressed',
  'cancelled',
  'bounced',
  'complained',
] as const

const nullableTime = (description: string) => timestamp(description).nullable().defined()

export const emailResponse = object({
  id: id('email'),
  status: string()
    .oneOf(EMAIL_STATUSES)
    .required()
    .meta({
      description:
        'QUEUED, SENDING, SENT, DEFERRED (not sent yet, will be tried again), FAILED (rejected), SUPPRESSED (the address must not be ' +
        'mailed), CANCELLED, CAPTURED (stored instead of delivered), or UNCONFIRMED (outcome unknown; never sent again automatically).',
      example: 'QUEUED',
    }),
  to: string().required().meta({ example: 'ada@example.com' }),
  contactId: id('contact').nullable().defined().meta({ description: 'Null if the address has no contact.' }),
  from: nullableText("The sender, if it is not the workspace's.", 'Orchard <receipts@example.com>'),
  replyTo: nullableText('The address for replies, if it was given.'),
  subject: nullableText(
    'The subject that was sent, or would be: before a template is rendered, its own.',
    'Your receipt',
  ),
  templateId: id('template').nullable().defined(),
  templateVersion: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'The version of the template.', example: 3 }),
  tags: array()
    .of(string().required())
    .required()
    .meta({ example: ['receipt'] }),
  attachments: array()
    .of(
      object({
        filename: string().required().meta({ example: 'receipt.pdf' }),
        contentType: string().required().meta({ example: 'application/pdf' }),
        size: count('In bytes.', 5_120),
      }).required(),
    )
    .required(),
  messageId: nullableText('The Message-ID header.', '<5f2c@example.com>'),
  response: nullableText('The response of the mail server.', '250 OK'),
  error: nullableText('Why the email was not sent.'),
  createdAt: timestamp('When the email was accepted.'),
  scheduledAt: nullableTime('When the email is to be sent; null for immediately.'),
  sentAt: nullableTime('When the mail server accepted the email.'),
  events: array()
    .of(
      object({
        type: string().oneOf(EVENT_TYPES).required().meta({ example: 'sent' }),
        at: timestamp('When it happened.'),
        detail: nullableText('The response of the mail server, or the reason.'),
      }).required(),
    )
    .required()
    .meta({ description: 'What happened to the email, oldest first.' }),
})
  .required()
  .meta({ component: 'Email', description: 'A transactional email, with its status and events.' })

/** An email in a list. */
export const listedEmailResponse = emailResponse
  .omit(['events'])
  .required()
  .meta({ component: 'EmailSummary', description: 'A transactional email, without its events.' })

type EmailEvent = InferType<typeof emailResponse>['events'][number]

/** The event of a final status; `undefined` if the status is not final. */
const FINAL: Readonly<Partial<Record<(typeof MESSAGE_STATUSES)[number], EmailEvent['type']>>> = {
  SENT: 'sent',
  CAPTURED: 'captured',
  FAILED: 'failed',
  UNCONFIRMED: 'unconfirmed',
  SUPPRESSED: 'suppressed',
}

export const presentEmail = (detail: EmailDetail): InferType<typeof emailResponse> => ({
  ...presentListed(detail),
  events: eventsOf(detail),
})

export const presentListed = ({
  email,
  message,
}: Pick<EmailDetail, 'email' | 'message'>): InferType<typeof listedEmailResponse> => ({
  id: email.id,
  status: email.cancelledAt ? 'CANCELLED' : message.status,
  to: email.recipient,
  contactId: isAddressId(email.contactId) ? null : email.contactId,
  from: email.sender ?? null,
  replyTo: email.replyTo ?? null,
  subject: message.subject ?? email.subject,
  templateId: email.templateId ?? null,
  templateVersion: email.templateVersion ?? null,
  tags: email.tags,
  attachments: email.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size })),
  messageId: message.messageId ?? null,
  response: message.response ?? null,
  error: message.error ?? null,
  createdAt: email.createdAt.toISOString(),
  scheduledAt: email.scheduledAt?.toISOString() ?? null,
  sentAt: message.sentAt?.toISOString() ?? null,
})

function eventsOf({ email, message, bounces }: EmailDetail): EmailEvent[] {
  const at = (time: Date) => time.toISOString()
  const type = FINAL[message.status]
  const finalAt = message.sentAt ?? message.finalAt
  return [
    { type: 'accepted', at: at(email.createdAt), detail: null },
    ...(email.cancelledAt ? [{ type: 'cancelled' as const, at: at(email.cancelledAt), detail: null }] : []),
    ...(type && finalAt ? [{ type, at: at(finalAt), detail: message.response ?? message.error ?? null }] : []),
    ...[
      ...(message.deliveredAt ? [{ type: 'delivered' as const, at: at(message.deliveredAt), detail: null }] : []),
      ...bounces.map(({ kind, diagnostic, createdAt }) => ({
        type: kind === 'COMPLAINT' ? ('complained' as const) : ('bounced' as const),
        at: at(createdAt),
        detail: diagnostic ?? null,
      })),
    ].toSorted((a, b) => a.at.localeCompare(b.at)),
  ]
}

/** Response of `POST /emails/batch`. */
export const batchResponse = object({
  accepted: count('Number of emails that were accepted.', 2),
  failed: count('Number of emails that were not.', 0),
  emails: array()
    .of(object({ index: count('The position in the request.', 0), id: id('email') }).required())
    .required(),
  errors: array()
    .of(
      object({
        index: count('The position in the request.', 0),
        error: string().required().meta({ example: 'to is required' }),
      }).required(),
    )
    .required()
    .meta({ example: [] }),
})
  .required()
  .meta({ component: 'EmailBatch', description: 'The result of each email of a batch.' })
