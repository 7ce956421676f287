import { boolean, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import type { ActivityItem } from './activity.ts'
import { MESSAGE_STATUSES } from './message.ts'

const nullableText = (example: string | null, description?: string) =>
  string()
    .nullable()
    .defined()
    .meta({ example, ...(description === undefined ? {} : { description }) })

/** A message, as an item of a contact's activity. */
export const messageShape = object({
  id: id('message'),
  type: string()
    .oneOf(['MESSAGE'] as const)
    .required(),
  status: string()
    .oneOf(MESSAGE_STATUSES)
    .required()
    .meta({
      description:
        'SENT, CAPTURED (stored instead of delivered), SENDING, DEFERRED (not sent yet, will be tried again), FAILED (refused), ' +
        'UNCONFIRMED (nobody knows whether the server has it; never sent again by itself), DISMISSED.',
      example: 'SENT',
    }),
  automationId: id('automation'),
  enrollmentId: id('enrollment'),
  stepId: id('step'),
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
  sentAt: string()
    .nullable()
    .defined()
    .meta({ json: { format: 'date-time' }, example: '2026-11-21T09:30:00.000Z' }),
})
  .required()
  .meta({ component: 'Message', description: 'One email to one contact.' })

export const presentMessage = ({
  message,
  html,
  text,
  contentOmitted,
}: ActivityItem): InferType<typeof messageShape> => ({
  id: message.id,
  type: 'MESSAGE',
  status: message.status,
  automationId: message.automationId,
  enrollmentId: message.enrollmentId,
  stepId: message.stepId,
  to: message.recipient ?? null,
  subject: message.subject ?? null,
  html,
  text,
  contentOmitted,
  messageId: message.messageId ?? null,
  attempts: message.attempts,
  response: message.response ?? null,
  error: message.error ?? null,
  createdAt: message.createdAt.toISOString(),
  sentAt: message.sentAt?.toISOString() ?? null,
})
