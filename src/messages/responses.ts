import { array, boolean, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
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
        'QUEUED (of a campaign, not tried yet), SENT, CAPTURED (stored instead of delivered), SENDING, DEFERRED (not sent yet, will be tried again), FAILED (refused), ' +
        'UNCONFIRMED (nobody knows whether the server has it; never sent again by itself), SUPPRESSED (not sent: its contact is not ' +
        'to be mailed), DISMISSED.',
      example: 'SENT',
    })

/** A message, as an item of a contact's activity. */
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
    .meta({ description: 'The campaign that it is of; null where it is of an automation.', example: null }),
  to: nullableText('ada@example.com'),
  subject: nullableText('Welcome, Ada!'),
  html: nullableText(null),
  text: nullableText('Good to have you here.'),
  contentOmitted: boolean().required().meta({
    description:
      'Whether html and text are null only because the messages before it in this page are long: ask for a page of one.',
    example: false,
  }),
  messageId: nullableText('<5f2c@example.com>', 'The Message-ID header.'),
  attempts: count('How often it was handed to the mail server, or tried to be.'),
  response: nullableText('250 OK', 'What the server answered.'),
  error: nullableText(null, 'Why it was not sent.'),
  createdAt: timestamp('When it was first to be sent.'),
  sentAt: nullableTime('When the server took it.'),
  retryAt: nullableTime('Since when it is to be tried again because somebody asked for it.'),
  openedAt: nullableTime('When a person first opened it, as far as that can be told; null also where nobody looks.'),
  clickedAt: nullableTime('When a person first followed a link of it, as far as that can be told.'),
  clicks: array()
    .of(object({ url: string().required(), at: timestamp('When it was first followed.') }).required())
    .required()
    .meta({ description: 'Which links of it a person has followed; the first fifty.', example: [] }),
})
  .required()
  .meta({ component: 'Message', description: 'One email to one contact.' })

export const presentMessage = ({
  message,
  html,
  text,
  contentOmitted,
  clicks,
}: ActivityItem): InferType<typeof messageResponse> => ({
  id: message.id,
  type: 'MESSAGE',
  status: message.status,
  automationId: message.automationId ?? null,
  enrollmentId: message.enrollmentId ?? null,
  stepId: message.stepId ?? null,
  campaignId: message.campaignId ?? null,
  to: message.recipient ?? null,
  subject: withoutHers(message.subject, message.contactId),
  html: withoutHers(html, message.contactId),
  text: withoutHers(text, message.contactId),
  contentOmitted,
  messageId: message.messageId ?? null,
  attempts: message.attempts,
  response: message.response ?? null,
  error: message.error ?? null,
  createdAt: message.createdAt.toISOString(),
  sentAt: message.sentAt?.toISOString() ?? null,
  retryAt: message.retryAt?.toISOString() ?? null,
  openedAt: message.openedAt?.toISOString() ?? null,
  clickedAt: message.clickedAt?.toISOString() ?? null,
  clicks: clicks.map(({ url, at }) => ({ url: withoutLinks(url, message.contactId), at: at.toISOString() })),
})

/** Whoever may only read wants nothing in somebody's name: her links are hers who got the email. */
const withoutHers = (said: string | null | undefined, contactId: string): string | null =>
  said == null ? null : withoutLinks(said, contactId)

/** A message, as an item of a list: all but its content. */
export const listedMessageResponse = messageResponse
  .omit(['type', 'html', 'text', 'contentOmitted', 'clicks'])
  .shape({ contactId: id('contact') })
  .required()
  .meta({ component: 'MessageSummary', description: 'One email to one contact, without its content.' })

export const presentListed = (message: ListedMessage): InferType<typeof listedMessageResponse> => ({
  id: message.id,
  status: message.status,
  contactId: message.contactId,
  automationId: message.automationId,
  enrollmentId: message.enrollmentId,
  stepId: message.stepId,
  campaignId: message.campaignId,
  to: message.to,
  subject: withoutHers(message.subject, message.contactId),
  messageId: message.messageId,
  attempts: message.attempts,
  response: message.response,
  error: message.error,
  createdAt: message.createdAt.toISOString(),
  sentAt: message.sentAt?.toISOString() ?? null,
  retryAt: message.retryAt?.toISOString() ?? null,
  openedAt: message.openedAt?.toISOString() ?? null,
  clickedAt: message.clickedAt?.toISOString() ?? null,
})

/** What having a message tried again answers. */
export const retryResponse = object({
  id: id('message'),
  status: messageStatus(),
  retryAt: timestamp('Since when it is to be tried again. It is null in lists once it is being handed over.'),
})
  .required()
  .meta({ component: 'MessageRetry' })

/** What leaving one as it is answers. */
export const dismissedResponse = object({
  id: id('message'),
  status: string()
    .oneOf(['DISMISSED'] as const)
    .required(),
})
  .required()
  .meta({ component: 'DismissedMessage' })

/** What having many tried again answers. */
export const retriesResponse = object({
  retried: number()
    .integer()
    .min(0)
    .required()
    .meta({ description: 'How many are tried again. Those that were to be already are not counted.', example: 17 }),
  nextCursor: string().nullable().defined().meta({
    description: 'The cursor of the next call, which goes on with older ones; null when there are none.',
    example: null,
  }),
})
  .required()
  .meta({ component: 'MessageRetries' })
