import { array, boolean, object, string, type InferType } from 'yup'
import { atMost, boundedObject, EXAMPLE_ID, filledText, freeObject, givenId, pageQuery, text } from '../http/index.ts'
import { MAX_TAGS_OF_CONTACT } from './contact-limits.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { jsonBytes } from '../platform/json.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'
import { MAX_TAG_LENGTH, MAX_TAGS } from './tag.ts'
import { MAX_METADATA_BYTES } from './metadata.ts'

/** As other services have it: nobody's keys are longer. */
const MAX_EXTERNAL_ID_LENGTH = 200

/** Of the texts that describe a contact; nothing real comes near. */
const MAX_TEXT_LENGTH = 1_000

const tag = () => filledText().required().test(atMost(MAX_TAG_LENGTH)).meta({ example: 'vip' })
const tags = () => array().of(tag()).max(MAX_TAGS)

const email = () =>
  string()
    .test({
      name: 'email',
      message: 'Invalid email address',
      test: (value) => value === undefined || isEmailAddress(value.trim()),
    })
    .meta({
      description: 'Unique in the workspace, compared without case.',
      json: { format: 'email' },
      example: 'ada@example.com',
    })
const externalId = () =>
  filledText().test(atMost(MAX_EXTERNAL_ID_LENGTH)).meta({
    description: 'What you know it by: unique in the workspace, compared as it is.',
    example: '4711',
  })
const firstName = () => text().nullable().test(atMost(MAX_TEXT_LENGTH)).meta({ example: 'Ada' })
const metadata = () =>
  boundedObject(MAX_METADATA_BYTES).meta({
    description:
      'Free key-value pairs, merged key by key; a null removes a key. At most 64 KB (65,536 bytes of UTF-8) as JSON.',
    example: { plan: 'free' },
  })

/** `POST /contacts`. */
export const contactSchema = object({
  email: email().required('email is required'),
  externalId: externalId(),
  firstName: firstName(),
  metadata: metadata(),
  listId: text().meta({ description: 'A list of the workspace to join.', isId: true }),
  tags: tags().meta({
    description: `Tags to get, besides those it has; ${MAX_TAGS_OF_CONTACT} in all.`,
    example: ['vip'],
  }),
}).meta({ component: 'ContactInput' })
export type ContactBody = InferType<typeof contactSchema>

/** `PATCH /contacts/{id}`. That it changes something is checked by the route. */
export const updateContactSchema = object({
  email: email(),
  externalId: externalId().nullable(),
  firstName: firstName(),
  metadata: metadata(),
}).meta({
  component: 'ContactChange',
  description: 'The fields to change; at least one.',
  json: { minProperties: 1 },
  example: { email: 'ada@example.com' },
})

/** How many contacts one call writes. */
export const MAX_BULK_CONTACTS = 1_000

/** `POST /contacts/bulk`. The items are checked one by one: an invalid one fails alone. */
export const bulkSchema = object({
  contacts: array()
    .required()
    .max(MAX_BULK_CONTACTS, `contacts array must not exceed ${MAX_BULK_CONTACTS} items`)
    .meta({
      description: 'An invalid item fails alone. Of the same email twice, the later one wins.',
      variants: [contactSchema],
    }),
  triggers: boolean().meta({
    description: 'False for an import: nobody is enrolled because of it. True where nothing is said.',
    example: true,
  }),
})

/** How long an event's data are at most, as JSON. */
export const MAX_EVENT_DATA_BYTES = 16 * 1024

/** `POST /contacts/{id}/events`. */
export const eventSchema = object({
  name: filledText()
    .required()
    .test(atMost(MAX_EVENT_NAME_LENGTH))
    .meta({ description: 'Compared without case with the names that automations listen for.', example: 'Purchase' }),
  data: freeObject()
    .test({
      name: 'size',
      message: 'Request body too large',
      test: (value) => value === undefined || jsonBytes(value) <= MAX_EVENT_DATA_BYTES,
    })
    .meta({ description: 'At most 16 KB (16,384 bytes of UTF-8) as JSON.', example: { amount: 42 } }),
})

/** `POST /contacts/{id}/tags`. */
export const tagsSchema = object({ tags: tags().required().min(1).meta({ description: 'Tags to get.' }) })

/** `GET /contacts`. */
export const contactQuery = pageQuery({
  q: text().max(320).meta({
    description:
      'Only contacts whose email or first name begins with this, compared without case, or whose externalId it is.',
    example: 'ada',
  }),
  email: string().meta({ description: 'Only the contact with this email, compared without case.' }),
  listId: string().meta({ description: 'Only contacts in this list.', isId: true }),
  tag: string().meta({ description: 'Only contacts with this tag, compared without case.' }),
  segmentId: string().meta({ description: 'Only contacts in this segment at the moment.', isId: true }),
})

/** `GET /lists/{id}/contacts`. */
export const membersQuery = pageQuery({
  status: string()
    .oneOf(['member', 'pending'] as const)
    .meta({
      description: 'pending: those who are asked whether they want to be in it. Without one, those who are.',
      example: 'member',
    }),
})

/** As many as a bulk call may have, for the same reason. */
export const MAX_LIST_CONTACTS = 1_000

const contactId = () => givenId('One contact: its id, `email:` and its address, or `external:` and its externalId.')
const contactIds = () =>
  array()
    .of(givenId('A contact.').required())
    .min(1)
    .max(MAX_LIST_CONTACTS, `contactIds array must not exceed ${MAX_LIST_CONTACTS} items`)
    .meta({ description: 'Many contacts.' })

/** Elsewhere a field that is not known is ignored. */
const without = (field: string) => ({ not: { properties: { [field]: {} }, required: [field] } })

const resubscribe = () =>
  boolean().meta({
    description: 'Also of contacts who have left the list by themselves: they have asked to be in it again.',
    example: false,
  })

const confirmed = () =>
  boolean().meta({
    description:
      'Of a list with doubleOptIn: that they have confirmed elsewhere that they want to be in it, and are not asked.',
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
        json: without('contactIds'),
      }),
      object({ contactIds: contactIds().required(), resubscribe: resubscribe(), confirmed: confirmed() }).meta({
        component: 'JoinMany',
        json: without('contactId'),
      }),
    ],
    example: { contactId: EXAMPLE_ID },
  })
