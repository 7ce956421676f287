import { array, boolean, number, object, string, type InferType, type Schema } from 'yup'
import type { ContactProfile } from '../../db/queries/contacts.ts'
import { MESSAGE_STATUSES } from '../../domain/messages.ts'
import { uniqueTags } from '../../domain/tags.ts'
import type { Caller } from '../../services/admission.ts'
import type { ActivityItem } from '../../services/contacts.ts'
import type { ContactInput } from '../../services/upsert-contacts.ts'
import { count, EXAMPLE_ID, freeObject, id, timestamp } from '../schemas/fields.ts'

/** A contact (specification, section 2.8). */
export const contactShape = object({
  id: id('contact'),
  email: string().required().meta({ description: 'As it was given, trimmed.', example: 'ada@example.com' }),
  firstName: string().nullable().defined().meta({ example: 'Ada' }),
  metadata: freeObject()
    .required()
    .meta({ description: 'Free key-value pairs.', example: { plan: 'pro' } }),
  tags: array()
    .of(string().required().meta({ example: 'vip' }))
    .required()
    .meta({ description: 'The names of its tags.' }),
  listIds: array()
    .of(string().required().meta({ example: EXAMPLE_ID }))
    .required()
    .meta({ description: 'The lists it is in.' }),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last written to.'),
})
  .required()
  .meta({ component: 'Contact', description: 'A subscriber.' })

/**
 * A contact, as whoever has written to it is told. A key that may not read contacts learns nothing that it has not said
 * itself: an address alone would otherwise be enough to get somebody's profile.
 */
export const writtenContactShape = object(
  Object.fromEntries(
    Object.entries(contactShape.fields).map(([name, field]) => [
      name,
      name === 'id' ? field : (field as Schema).optional(),
    ]),
  ) as typeof contactShape.fields,
)
  .required()
  .meta({
    component: 'WrittenContact',
    description:
      'A contact that was written to. A key with the scope contacts:read gets all of it; any other one the id and what it gave.',
  })

/** @param given what the call said of the contact. */
export function presentWritten(
  { apiKey }: Caller,
  contact: ContactProfile,
  given: Pick<ContactInput, 'firstName' | 'metadata' | 'tags' | 'listId'> & { email?: string },
): Partial<InferType<typeof contactShape>> & { id: string } {
  if (apiKey.scopes.includes('contacts:read')) return presentContact(contact)
  const { email, firstName, metadata, tags, listId } = given
  return {
    id: contact.id,
    ...(email === undefined ? {} : { email }),
    ...(firstName === undefined ? {} : { firstName }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(tags === undefined ? {} : { tags: uniqueTags(tags).map(({ name }) => name) }),
    ...(listId === undefined ? {} : { listIds: [listId] }),
  }
}

export const presentContact = (contact: ContactProfile): InferType<typeof contactShape> => ({
  id: contact.id,
  email: contact.email,
  firstName: contact.firstName,
  metadata: contact.metadata,
  tags: contact.tags,
  listIds: contact.listIds,
  createdAt: contact.createdAt.toISOString(),
  updatedAt: contact.updatedAt.toISOString(),
})

/** What a bulk call did. */
export const bulkResultShape = object({
  created: count('How many contacts were created.'),
  updated: count('How many were there already, and were updated.', 0),
  failed: count('How many items were not written.', 0),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ description: 'The item, from 0.', example: 3 }),
        error: string().required().meta({ example: 'Invalid email address' }),
      }).required(),
    )
    .required()
    .meta({ description: 'What was wrong with each of those.', example: [] }),
})
  .required()
  .meta({ component: 'BulkResult' })

/** What firing an event did (specification, section 2.6). */
export const eventResultShape = object({
  contactId: id('contact'),
  eventName: string().required().meta({ example: 'Purchase' }),
  matchingAutomations: count('The number of automations triggered.'),
  firedAt: timestamp('When it was fired.'),
})
  .required()
  .meta({ component: 'EventResult' })

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
