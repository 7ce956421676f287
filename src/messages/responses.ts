import { array, boolean, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { isAddressId } from '../contacts/index.ts'
import { withoutLinks } from '../signed-links/index.ts'
import type { ActivityItem } from './activity.ts'
import type { ListedMessage } from './list-queries.ts'
import { MESSAGE_STATUSES } from './message.ts'

const nullableText = (example: string | null, description?: string) =>
  string()
    .nullable()
    .defined()
    .meta({ example, ...(description === undefined ? {} : { description }) })

const nullableTime = (description: string) =>
  string()
    .nullable()
    .defined()
    .meta({ description, json: { format: 'date-time' }, example: '2026-11-21T09:30:00.000Z' })

const messageStatus = () =>
  string()
    .oneOf(MESSAGE_STATUSES)
    .required()
    .meta({
      description:
        'QUEUED (not tried yet), SENT, CAPTURED (stored instead of delivered), SENDING, DEFERRED (not sent yet, will be tried again), FAILED (rejected), ' +
        'UNCONFIRMED (outcome unknown; never sent again automatically), SUPPRESSED (not sent, because the contact must not be ' +
        'mailed), DISMISSED.',
      example: 'SENT',
    })

const contactIdOfMessage = () =>
  id('contact')
    .nullable()
    .defined()
    .meta({ description: 'Null for a transactional email to an address without a contact.' })

const contactIdOf = ({ contactId }: { contactId: string }): string | null => (isAddressId(contactId) ? null : contactId)

/** A message in a contact's activity. */
export const messageResponse = object({
  id: id('message'),
  type: string()
    .oneOf(['MESSAGE'] as const)
    .required(),
  status: messageStatus(),
  automationId: id('automation').nullable().defined(),
  enrollmentId: id('enrollment').nullable().defined(),
  stepId: id('step').nullable().defined(),
  campaignId: id('campaign')
    .nullable()
    .defined()
    .meta({ description: 'The campaign of the message; null if it belongs to none.', example: null }),
  to: nullableText('ada@example.com'),
  subject: nullableText('Welcome, Ada!'),
  html: nullableText(null),
  text: nullableText('Good to have you here.'),
  contentOmitted: boolean().required().meta({
    description:
      'Whether html and text are null only because the preceding messages on this page are long. To get them, request a page with limit=1.',
    example: false,
  }),
  messageId: nullableText('<5f2c@example.com>', 'The Message-ID header.'),
  attempts: count('Number of attempts to send it.'),
  response: nullableText('250 OK', 'The response of the mail server.'),
  error: nullableText(null, 'Why the message was not sent.'),
  createdAt: timestamp('When the message was first due.'),
  sentAt: nullableTime('When the mail server accepted the message.'),
  retryAt: nullableTime('When a retry was requested, if one is pending.'),
  deliveredAt: nullableTime(
    "When a mail provider reported that the recipient's mail server accepted the message; null if none did.",
  ),
  openedAt: nullableTime(
    'When a person first opened the message; null if it was not opened, or opens are not tracked.',
  ),
  clickedAt: nullableTime('When a person first clicked a link; null if none was clicked, or clicks are not tracked.'),
  clicks: array()
    .of(object({ url: string().required(), at: timestamp('When the link was first clicked.') }).required())
    .required()
    .meta({ description: 'The first 50 links that a person clicked.', example: [] }),
})
  .required()
  .meta({ component: 'Message', description: 'One email to one contact.' })

export const presentMessage = (item: ActivityItem): InferType<typeof messageResponse> => ({
  ...fieldsOf(item),
  type: 'MESSAGE',
  contentOmitted: item.contentOmitted,
})

/** The fields of a message with its content. */
const fieldsOf = ({ message, html, text, clicks }: ActivityItem) => ({
  id: message.id,
  status: message.status,
  automationId: message.automationId ?? null,
  enrollmentId: message.enrollmentId ?? null,
  stepId: message.stepId ?? null,
  campaignId: message.campaignId ?? null,
  to: message.recipient ?? null,
  subject: withoutPersonalLinks(message.subject, message.contactId),
  html: withoutPersonalLinks(html, message.contactId),
  text: withoutPersonalLinks(text, message.contactId),
  messageId: message.messageId ?? null,
  attempts: message.attempts,
  response: message.response ?? null,
  error: message.error ?? null,
  createdAt: message.createdAt.toISOString(),
  sentAt: message.sentAt?.toISOString() ?? null,
  retryAt: message.retryAt?.toISOString() ?? null,
  deliveredAt: message.deliveredAt?.toISOString() ?? null,
  openedAt: message.openedAt?.toISOString() ?? null,
  clickedAt: message.clickedAt?.toISOString() ?? null,
  clicks: clicks.map(({ url, at }) => ({ url: withoutLinks(url, message.contactId), at: at.toISOString() })),
})

/** Removes links that act for the contact: a caller who may only read must not be able to use them. */
const withoutPersonalLinks = (said: string | null | undefined, contactId: string): string | null =>
  said == null ? null : withoutLinks(said, contactId)

/** `GET /messages/{id}`. */
export const messageDetailResponse = messageResponse
  .omit(['type', 'contentOmitted'])
  .shape({ contactId: contactIdOfMessage() })
  .required()
  .meta({ component: 'MessageDetail', description: 'One email to one contact, with its content.' })

export const presentMessageDetail = (item: ActivityItem): InferType<typeof messageDetailResponse> => ({
  ...fieldsOf(item),
  contactId: contactIdOf(item.message),
})

/** A message in a list, without its content. */
export const listedMessageResponse = messageResponse
  .omit(['type', 'html', 'text', 'contentOmitted', 'clicks'])
  .shape({ contactId: contactIdOfMessage() })
  .required()
  .meta({ component: 'MessageSummary', description: 'One email to one contact, without its content.' })

export const presentListed = (message: ListedMessage): InferType<typeof listedMessageResponse> => ({
  id: message.id,
  status: message.status,
  contactId: contactIdOf(message),
  automationId: message.automationId,
  enrollmentId: message.enrollmentId,
  stepId: message.stepId,
  campaignId: message.campaignId,
  to: message.to,
  subject: withoutPersonalLinks(message.subject, message.contactId),
  messageId: message.messageId,
  attempts: message.attempts,
  response: message.response,
  error: message.error,
  createdAt: message.createdAt.toISOString(),
  sentAt: message.sentAt?.toISOString() ?? null,
  retryAt: message.retryAt?.toISOString() ?? null,
  deliveredAt: message.deliveredAt?.toISOString() ?? null,
  openedAt: message.openedAt?.toISOString() ?? null,
  clickedAt: message.clickedAt?.toISOString() ?? null,
})

/** Response of a retry. */
export const retryResponse = object({
  id: id('message'),
  status: messageStatus(),
  retryAt: timestamp('When the retry was requested. It is null in lists once the message is in flight.'),
})
  .required()
  .meta({ component: 'MessageRetry' })

/** Response of a dismissal. */
export const dismissedResponse = object({
  id: id('message'),
  status: string()
    .oneOf(['DISMISSED'] as const)
    .required(),
})
  .required()
  .meta({ component: 'DismissedMessage' })

/** Response of a bulk retry. */
export const retriesResponse = object({
  retried: number().integer().min(0).required().meta({
    description: 'Number of messages that are retried. Messages with a pending retry are not counted.',
    example: 17,
  }),
  nextCursor: string().nullable().defined().meta({
    description: 'The cursor for the next call, which continues with older messages; null if there are none.',
    example: null,
  }),
})
  .required()
  .meta({ component: 'MessageRetries' })
