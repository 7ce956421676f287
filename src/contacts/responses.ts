import { array, boolean, mixed, number, object, string, type InferType } from 'yup'
import type { ContactProfile } from './queries.ts'
import { uniqueTags } from './tag.ts'
import type { Caller } from '../workspaces/index.ts'
import type { ContactChange } from './update-contact.ts'
import { CONTACT_SUPPRESSED_BY, type ContactSuppressedBy } from './suppression.ts'
import type { ContactInput } from './upsert-contacts.ts'
import { count, EXAMPLE_ID, freeObject, id, timestamp, writtenResponse, nullableText } from '../http/index.ts'

export const contactResponse = object({
  id: id('contact'),
  email: string()
    .required()
    .meta({ description: 'As it was given, without surrounding spaces.', example: 'ada@example.com' }),
  externalId: nullableText('Your own ID for the contact; null if none was set.', '4711'),
  firstName: string().nullable().defined().meta({ example: 'Ada' }),
  metadata: freeObject()
    .required()
    .meta({ description: 'Free key-value pairs.', example: { plan: 'pro' } }),
  suppressedBy: string()
    .nullable()
    .defined()
    .oneOf([...CONTACT_SUPPRESSED_BY, null] as const)
    .meta({
      description:
        'The reason why the contact gets no marketing; null if they get it. UNCONFIRMED: they have not confirmed their sign-up yet.',
      json: { type: ['string', 'null'], enum: [...CONTACT_SUPPRESSED_BY, null] },
      example: null,
    }),
  tags: array()
    .of(string().required().meta({ example: 'vip' }))
    .required()
    .meta({ description: 'The names of the tags of the contact.' }),
  listIds: array()
    .of(string().required().meta({ example: EXAMPLE_ID }))
    .required()
    .meta({ description: 'The IDs of the lists of the contact.' }),
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
})
  .required()
  .meta({ component: 'Contact', description: 'A subscriber.' })

/**
 * The response to a write. A key that may not read contacts gets only what it sent: otherwise, an address would be enough to
 * read a profile.
 */
export const writtenContactResponse = writtenResponse(contactResponse, {
  component: 'WrittenContact',
  scope: 'contacts:read',
})

/** @param given the fields of the request */
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
  suppressedBy: contact.suppressedBy as ContactSuppressedBy | null,
  tags: contact.tags,
  listIds: contact.listIds,
  createdAt: contact.createdAt.toISOString(),
  updatedAt: contact.updatedAt.toISOString(),
})

export const bulkResultResponse = object({
  created: count('The number of contacts created.'),
  updated: count('The number of existing contacts updated.', 0),
  failed: count('The number of items that failed.', 0),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ description: 'The index of the item, from 0.', example: 3 }),
        error: string().required().meta({ example: 'Invalid email address' }),
      }).required(),
    )
    .required()
    .meta({ description: 'The errors of the failed items.', example: [] }),
})
  .required()
  .meta({ component: 'BulkResult' })

export const joinResultResponse = object({
  listId: id('list'),
  added: count('The number of contacts added to the list.'),
  alreadyIn: count('The number of contacts that were already in the list.', 0),
  pending: count('The number of contacts that must confirm first, if the list has doubleOptIn.', 0),
  failed: count('The number of contacts that do not exist or have left the list.', 0),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ example: 1 }),
        error: string().required().meta({ example: 'Contact not found' }),
      }).required(),
    )
    .required()
    .meta({ description: 'The errors, with the index in contactIds from 0.', example: [] }),
})
  .required()
  .meta({ component: 'JoinResult' })

export const contactCountResponse = object({
  contactCount: count('The number of contacts that match now.', 42),
  subscription: object({
    subscribed: count('Contacts who get marketing.', 38),
    pending: count('Contacts who have not confirmed their sign-up yet.', 0),
    unsubscribed: count('Contacts who opted out.', 3),
    suppressed: count('Contacts whose address bounced, complained or was suppressed manually.'),
  })
    .optional()
    .default(undefined)
    .meta({ description: 'The same contacts by whether they get marketing. Only with `withSubscription`.' }),
})
  .required()
  .meta({ component: 'ContactCount' })

export const checkedContactResponse = object({
  contactId: id('contact'),
  matches: boolean().required().meta({ description: 'Whether the contact is in the segment.', example: false }),
  parts: array()
    .of(
      object({
        path: string().defined().meta({
          description: 'A JSON pointer into the condition. Empty for the condition itself.',
          example: '/all/0',
        }),
        matches: boolean().required().meta({ example: false }),
        decides: boolean().required().meta({
          description:
            'Whether the result rests on this part: one that does not match decides `all`, and one that matches decides `any`.',
          example: true,
        }),
        value: mixed()
          .nullable()
          .defined()
          .meta({
            description:
              'The value of the contact that a `field` or `metadata` compared, cut to 100 characters. Null if there is none.',
            json: { type: ['string', 'number', 'boolean', 'null'] },
            example: 'free',
          }),
      }).required(),
    )
    .required()
    .meta({ description: 'The parts of the condition in its order, groups before their parts.' }),
})
  .required()
  .meta({ component: 'CheckedContact', description: 'Whether a contact is in a segment, and why.' })

export const tagResponse = object({
  name: string().required().meta({ example: 'vip' }),
  contactCount: count('The number of contacts with the tag.', 12),
})
  .required()
  .meta({ component: 'Tag', description: 'A label on contacts, compared without case.' })
