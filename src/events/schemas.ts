import { array, boolean, object, string } from 'yup'
import { contactFields } from '../contacts/index.ts'
import { atMost, cursorQuery, filledText, freeObject, givenId, instant, pageQuery } from '../http/index.ts'
import { jsonBytes } from '../platform/json.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'

/** The maximum size of an event's data, in bytes of JSON. */
const MAX_EVENT_DATA_BYTES = 16 * 1024

/** The maximum number of events in one bulk request. */
export const MAX_BULK_EVENTS = 1_000

/** The maximum number of lists that a contact joins with one event. */
const MAX_LISTS_OF_EVENT = 20

const name = () =>
  filledText()
    .required()
    .test(atMost(MAX_EVENT_NAME_LENGTH))
    .meta({ description: 'Compared without case with the eventName of automations.', example: 'Purchase' })
const data = () =>
  freeObject()
    .test({
      name: 'size',
      message: 'Request body too large',
      test: (value) => value === undefined || jsonBytes(value) <= MAX_EVENT_DATA_BYTES,
    })
    .meta({ description: 'At most 16 KB (16,384 bytes of UTF-8) as JSON.', example: { amount: 42 } })

/** The names of these fields in other services. */
const DATA_SYNONYMS = { properties: 'data', payload: 'data', metadata: 'data', event: 'name' }
const SYNONYMS = { ...DATA_SYNONYMS, userId: 'externalId' }

/** `POST /contacts/{id}/events`. */
export const eventSchema = object({ name: name(), data: data() }).meta({ synonyms: DATA_SYNONYMS })

const contactId = () => givenId('The contact: its ID, its address, or `external:` and its externalId. It must exist.')
const externalId = () =>
  contactFields.externalId().meta({ description: 'Your own ID for the contact. The contact must exist.' })
const createContact = () =>
  boolean().meta({ description: 'False if only an existing contact may be used. The default is true.', example: true })
const described = () => ({
  name: name(),
  data: data(),
  contact: contactFields.written().meta({ description: 'Fields to write, as in POST /contacts.' }),
})
const lists = () =>
  array()
    .of(givenId('A list of the workspace.').required())
    .max(MAX_LISTS_OF_EVENT)
    .meta({ description: 'The IDs of lists to join. A list with doubleOptIn asks for a confirmation.' })

export const ONE_CONTACT = 'Send exactly one of contactId, externalId and email'
export const CREATES_BY_EMAIL = 'createContact needs email: other contacts must exist'

interface Named {
  contactId?: string | undefined
  externalId?: string | undefined
  email?: string | undefined
  createContact?: boolean | undefined
}
const hasOneContact = {
  name: 'one-contact',
  message: ONE_CONTACT,
  test: (of: Named) => [of.contactId, of.externalId, of.email].filter((each) => each !== undefined).length === 1,
}
const createsByEmail = {
  name: 'creates-by-email',
  message: CREATES_BY_EMAIL,
  test: ({ email, createContact: creates }: Named) => creates === undefined || email !== undefined,
}

/** The alternatives of a custom event, by how it names the contact. */
const variants = (component: string, more: () => object) => [
  object({ ...described(), ...more(), email: contactFields.email().required(), createContact: createContact() }).meta({
    component: `${component}ByEmail`,
  }),
  object({ ...described(), ...more(), externalId: externalId().required() }).meta({
    component: `${component}ByExternalId`,
  }),
  object({ ...described(), ...more(), contactId: contactId().required() }).meta({
    component: `${component}ByContactId`,
  }),
]

const named = () => ({
  contactId: contactId(),
  externalId: externalId(),
  email: contactFields.email(),
  createContact: createContact(),
})

/** `POST /events`. */
export const recordSchema = object({ ...described(), ...named(), lists: lists() })
  .test(hasOneContact)
  .test(createsByEmail)
  .meta({
    synonyms: SYNONYMS,
    variants: variants('Event', () => ({ lists: lists() })),
    example: { name: 'Signed up', email: 'ada@example.com', data: { plan: 'free' } },
  })

/** An item of `POST /events/bulk`. */
export const bulkItemSchema = object({ ...described(), ...named() })
  .test(hasOneContact)
  .test(createsByEmail)
  .meta({
    synonyms: SYNONYMS,
    variants: variants('BulkEvent', () => ({})),
    example: { name: 'Signed up', email: 'ada@example.com', data: { plan: 'free' } },
  })

/** `POST /events/bulk`. Items are validated one by one, so that an invalid one does not affect the others. */
export const bulkSchema = object({
  events: array()
    .required()
    .max(MAX_BULK_EVENTS, `events array must not exceed ${MAX_BULK_EVENTS} items`)
    .meta({ description: 'An invalid item does not affect the others.', variants: [bulkItemSchema] }),
})

const nameFilter = () => string().meta({ description: 'Filter by name, compared without case.', example: 'Purchase' })

/** `GET /contacts/{id}/events`. */
export const contactEventsQuery = cursorQuery({ name: nameFilter() })

/** `GET /events`. */
export const eventsQuery = cursorQuery({
  name: nameFilter(),
  contactId: string().meta({ description: 'Filter by contact.', isId: true }),
  after: instant('Only events after this time.'),
  before: instant('Only events before this time.'),
})

/** `GET /events/names`. */
export const namesQuery = pageQuery()
