import { array, boolean, object, string, type InferType } from 'yup'
import { atMost, boundedObject, EXAMPLE_ID, filledText, givenId, pageQuery, text } from '../http/index.ts'
import { MAX_FIRST_NAME_LENGTH, MAX_TAGS_OF_CONTACT } from './contact-limits.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { MAX_TAG_LENGTH, MAX_TAGS } from './tag.ts'
import { MAX_METADATA_BYTES } from './metadata.ts'
import { conditionInput } from '../segments/index.ts'

/** Maximum length of an external ID, longer than the IDs of other services. */
const MAX_EXTERNAL_ID_LENGTH = 200

/** Names that no URL can contain as a segment of its path (RFC 3986, section 5.2.4). */
const DOT_SEGMENT = /^\s*\.{1,2}\s*$/

const tag = () =>
  filledText()
    .required()
    .test(atMost(MAX_TAG_LENGTH))
    .test({
      name: 'dots',
      message: '${path} must contain more than dots',
      test: (value) => value === undefined || !DOT_SEGMENT.test(value),
    })
    .meta({ example: 'vip' })
const tags = () => array().of(tag()).max(MAX_TAGS)

const email = () =>
  string()
    .test({
      name: 'email',
      message: 'Invalid email address',
      test: (value) => value === undefined || isEmailAddress(value.trim()),
    })
    .meta({
      description: 'Unique in the workspace, case-insensitive.',
      json: { format: 'email' },
      example: 'ada@example.com',
    })
const externalId = () =>
  filledText().test(atMost(MAX_EXTERNAL_ID_LENGTH)).meta({
    description: 'Your own ID for the contact. Unique in the workspace, case-sensitive.',
    example: '4711',
  })
const firstName = () => text().nullable().test(atMost(MAX_FIRST_NAME_LENGTH)).meta({ example: 'Ada' })
const metadata = () =>
  boundedObject(MAX_METADATA_BYTES).meta({
    description:
      'Free key-value pairs, merged key by key. A null removes a key. At most 64 KB (65,536 bytes of UTF-8) as JSON.',
    example: { plan: 'free' },
  })

/** The fields of a contact in requests that identify it by other fields. */
export const contactFields = {
  /** The fields that identify a contact. */
  email,
  externalId,
  /** The other fields of `POST /contacts`. */
  written: () =>
    object({
      firstName: firstName(),
      metadata: metadata(),
      tags: tags().meta({
        description: `Tags to add. At most ${MAX_TAGS_OF_CONTACT} including existing ones.`,
        example: ['vip'],
      }),
    }),
}

/** The names of contact fields in other services. */
const SYNONYMS = {
  attributes: 'metadata',
  properties: 'metadata',
  traits: 'metadata',
  customFields: 'metadata',
  fields: 'metadata',
  id: 'externalId',
  userId: 'externalId',
  name: 'firstName',
}

/** `POST /contacts`. */
export const contactSchema = object({
  email: email().required('email is required'),
  externalId: externalId(),
  firstName: firstName(),
  metadata: metadata(),
  listId: text().meta({ description: 'A list of the workspace to join.', isId: true }),
  tags: tags().meta({
    description: `Tags to add. At most ${MAX_TAGS_OF_CONTACT} including existing ones.`,
    example: ['vip'],
  }),
}).meta({ component: 'ContactInput', synonyms: { ...SYNONYMS, lists: 'listId' } })
export type ContactBody = InferType<typeof contactSchema>

/** `PATCH /contacts/{id}`. The route checks that there is a change. */
export const updateContactSchema = object({
  email: email(),
  externalId: externalId().nullable(),
  firstName: firstName(),
  metadata: metadata(),
}).meta({
  component: 'ContactChange',
  synonyms: SYNONYMS,
  description: 'The fields to change, at least one.',
  json: { minProperties: 1 },
  example: { email: 'ada@example.com' },
})

/** The maximum number of contacts in one bulk request. */
const MAX_BULK_CONTACTS = 1_000

/** `POST /contacts/bulk`. Items are validated one by one, so that an invalid one does not affect the others. */
export const bulkSchema = object({
  contacts: array()
    .required()
    .max(MAX_BULK_CONTACTS, `contacts array must not exceed ${MAX_BULK_CONTACTS} items`)
    .meta({
      description: 'An invalid item does not affect the others. If an email occurs twice, the later item wins.',
      variants: [contactSchema],
    }),
  triggers: boolean().meta({
    description: 'Set to false to enroll no contacts, such as for imports. The default is true.',
    example: true,
  }),
})

/** `POST /contacts/{id}/tags`. */
export const tagsSchema = object({ tags: tags().required().min(1).meta({ description: 'The tags to add.' }) })

/** `GET /contacts`. */
export const contactQuery = pageQuery({
  q: text().max(320).meta({
    description:
      'Filter by the beginning of the email or first name, compared without case, or by the whole externalId.',
    example: 'ada',
  }),
  email: string().meta({ description: 'Filter by email, compared without case.' }),
  listId: string().meta({ description: 'Filter by list.', isId: true }),
  tag: string().meta({ description: 'Filter by tag, compared without case.' }),
  segmentId: string().meta({ description: 'Filter by segment, as of now.', isId: true }),
})

/** `GET /lists/{id}/contacts`. */
export const membersQuery = pageQuery({
  status: string()
    .oneOf(['member', 'pending'] as const)
    .meta({
      description: 'pending: contacts that have not confirmed yet. The default is the contacts in the list.',
      example: 'member',
    }),
})

/** The maximum number of contacts in one request, as in a bulk request. */
const MAX_LIST_CONTACTS = 1_000

const contactId = () => givenId('One contact: its ID, its address, or `external:` and its externalId.')
const contactIds = () =>
  array()
    .of(givenId('A contact.').required())
    .min(1)
    .max(MAX_LIST_CONTACTS, `contactIds array must not exceed ${MAX_LIST_CONTACTS} items`)
    .meta({ description: 'Many contacts.' })

const resubscribe = () =>
  boolean().meta({
    description: 'True if the contacts asked to rejoin. Required for contacts who left the list themselves.',
    example: false,
  })

const confirmed = () =>
  boolean().meta({
    description:
      'True if the contacts confirmed elsewhere that they want to join. Skips the confirmation of a list with doubleOptIn.',
    example: false,
  })

/** `POST /lists/{id}/contacts`. */
export const joinSchema = object({
  contactId: contactId(),
  contactIds: contactIds(),
  resubscribe: resubscribe(),
  confirmed: confirmed(),
})
  .test({
    name: 'one-or-many',
    message: 'Send either contactId or contactIds',
    test: ({ contactId, contactIds }) => (contactId === undefined) !== (contactIds === undefined),
  })
  .meta({
    variants: [
      object({ contactId: contactId().required(), resubscribe: resubscribe(), confirmed: confirmed() }).meta({
        component: 'JoinOne',
      }),
      object({ contactIds: contactIds().required(), resubscribe: resubscribe(), confirmed: confirmed() }).meta({
        component: 'JoinMany',
      }),
    ],
    example: { contactId: EXAMPLE_ID },
  })

/** `POST /segments/count`. */
export const countSchema = object({
  condition: conditionInput(),
  withSubscription: boolean().meta({
    description: 'Whether to also count how many of the contacts get marketing. False by default.',
    example: true,
  }),
})
