import { array, number, object, string, type InferType } from 'yup'
import type { ContactProfile } from './queries.ts'
import { uniqueTags } from './tag.ts'
import type { Caller } from '../workspaces/index.ts'
import type { ContactChange } from './update-contact.ts'
import { SUPPRESSION_REASONS } from './suppression.ts'
import type { ContactInput } from './upsert-contacts.ts'
import { count, EXAMPLE_ID, freeObject, id, timestamp, writtenResponse, nullableText } from '../http/index.ts'

/** Why a contact gets nothing: what is of one list or email alone is not told of it. */
const SUPPRESSED = [...SUPPRESSION_REASONS, 'UNCONFIRMED'] as const

/** A contact. */
export const contactResponse = object({
  id: id('contact'),
  email: string().required().meta({ description: 'As it was given, trimmed.', example: 'ada@example.com' }),
  externalId: nullableText('What its callers know it by; null where they have said none.', '4711'),
  firstName: string().nullable().defined().meta({ example: 'Ada' }),
  metadata: freeObject()
    .required()
    .meta({ description: 'Free key-value pairs.', example: { plan: 'pro' } }),
  suppressedBy: string()
    .nullable()
    .defined()
    .oneOf([...SUPPRESSED, null] as const)
    .meta({
      description: 'Why no marketing is sent to it; null: it is. UNCONFIRMED: it has not confirmed its sign-up yet.',
      json: { type: ['string', 'null'], enum: [...SUPPRESSED, null] },
      example: null,
    }),
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

/** A contact, as whoever has written to it is told: an address alone would otherwise be enough to get somebody's profile. */
export const writtenContactResponse = writtenResponse(contactResponse, {
  component: 'WrittenContact',
  scope: 'contacts:read',
})

/** @param given what the call said of the contact. */
export function presentWritten(
  { scopes }: Caller,
  contact: ContactProfile,
  given: ContactChange & Pick<ContactInput, 'tags' | 'listId'>,
): Partial<InferType<typeof contactResponse>> & { id: string } {
  if (scopes.includes('contacts:read')) return presentContact(contact)
  const { email, externalId, firstName, metadata, tags, listId } = given
  return {
    id: contact.id,
    ...(email === undefined ? {} : { email }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(firstName === undefined ? {} : { firstName }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(tags === undefined ? {} : { tags: uniqueTags(tags).map(({ name }) => name) }),
    ...(listId === undefined ? {} : { listIds: [listId] }),
  }
}

export const presentContact = (contact: ContactProfile): InferType<typeof contactResponse> => ({
  id: contact.id,
  email: contact.email,
  externalId: contact.externalId,
  firstName: contact.firstName,
  metadata: contact.metadata,
  suppressedBy: contact.suppressedBy as (typeof SUPPRESSED)[number] | null,
  tags: contact.tags,
  listIds: contact.listIds,
  createdAt: contact.createdAt.toISOString(),
  updatedAt: contact.updatedAt.toISOString(),
})

/** What a bulk call did. */
export const bulkResultResponse = object({
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

/** What firing an event did. */
export const eventResultResponse = object({
  contactId: id('contact'),
  eventName: string().required().meta({ example: 'Purchase' }),
  matchingAutomations: count('The number of automations triggered.'),
  firedAt: timestamp('When it was fired.'),
})
  .required()
  .meta({ component: 'EventResult' })

/** What putting contacts into a list did. */
export const joinResultResponse = object({
  listId: id('list'),
  added: count('How many contacts were put into the list.'),
  alreadyIn: count('How many were in it before.', 0),
  pending: count('How many are to confirm it first, of a list with doubleOptIn.', 0),
  failed: count('How many could not be: there is no such contact, or she has left the list by herself.', 0),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ example: 1 }),
        error: string().required().meta({ example: 'Contact not found' }),
      }).required(),
    )
    .required()
    .meta({ description: 'Which of the contactIds, from 0.', example: [] }),
})
  .required()
  .meta({ component: 'JoinResult' })

export const tagResponse = object({
  name: string().required().meta({ example: 'vip' }),
  contactCount: count('How many contacts have it.', 12),
})
  .required()
  .meta({ component: 'Tag', description: 'A word on contacts, compared without case.' })
