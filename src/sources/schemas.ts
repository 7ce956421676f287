import { array, lazy, mixed, object, string, type InferType, type ObjectShape, type Schema } from 'yup'
import { MAX_METADATA_BYTES } from '../contacts/index.ts'
import { atMost, boundedObject, filledText, text } from '../http/index.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'

/** The maximum number of calls in one batch. */
export const MAX_CALLS = 1_000

/** The maximum size of an event's properties, as in `POST /events`. */
const MAX_PROPERTIES_BYTES = 16 * 1024

/** The maximum length of an ID, as of an externalId. */
const MAX_ID_LENGTH = 200

/** Calls that change nothing: Dripline has no page views. */
export const IGNORED_TYPES = ['page', 'screen'] as const

const nullableObject = (max: number) => boundedObject(max).nullable()
const context = () =>
  nullableObject(MAX_METADATA_BYTES).meta({
    description: 'Only traits.email is used: the address of a user who is not known yet.',
    json: { type: ['object', 'null'], additionalProperties: true },
    example: { traits: { email: 'ada@example.com' } },
  })
const timestamp = () =>
  mixed()
    .nullable()
    .meta({
      description: 'When it happened. An identify call that is older than the newest one overwrites no traits.',
      json: { type: ['string', 'null'] },
      example: '2026-11-21T09:30:00Z',
    })
const traits = (description: string, example: object) =>
  nullableObject(MAX_METADATA_BYTES).meta({
    description,
    json: { type: ['object', 'null'], additionalProperties: true },
    example,
  })

const userId = () =>
  text().nullable().test(atMost(MAX_ID_LENGTH)).meta({
    description: 'The externalId of the contact.',
    example: '4711',
  })
const messageId = () =>
  text().nullable().test(atMost(MAX_ID_LENGTH)).meta({
    description: 'A call with the same messageId is applied once.',
    example: '5b2d0d1e-3f4c-4a57-9f6e-0d8f2f1c9a11',
  })

const anything = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, mixed().nullable()]))

/** A call. The protocol has fields that Dripline does not use, and programs add their own. */
const callOf = <Fields extends ObjectShape>(fields: Fields) => object(fields).meta({ open: true })

const common = <const Type extends string>(...types: readonly Type[]) => ({
  type: string().oneOf(types).required(),
  userId: userId(),
  messageId: messageId(),
  context: context(),
})

const identifySchema = callOf({
  ...common('identify'),
  traits: traits(
    'email and firstName (or first_name, or the first word of name) are fields of the contact, the others its metadata.',
    { email: 'ada@example.com', firstName: 'Ada', plan: 'free' },
  ),
  timestamp: timestamp(),
})

const trackSchema = callOf({
  ...common('track'),
  event: filledText()
    .required()
    .test(atMost(MAX_EVENT_NAME_LENGTH))
    .meta({ description: 'The name of the event.', example: 'Order Completed' }),
  properties: nullableObject(MAX_PROPERTIES_BYTES).meta({
    description: 'The data of the event. At most 16 KB (16,384 bytes of UTF-8) as JSON.',
    json: { type: ['object', 'null'], additionalProperties: true },
    example: { total: 59.9 },
  }),
})

const id = (description: string, example: string) =>
  filledText().required().test(atMost(MAX_ID_LENGTH)).meta({ description, example })

const aliasSchema = callOf({
  ...common('alias'),
  userId: id('The new externalId of the contact.', '4711'),
  previousId: id('The present externalId of the contact.', 'temporary-17'),
})

const groupSchema = callOf({
  ...common('group'),
  groupId: id('Written to metadata.group.', 'acme'),
  traits: traits('Written to metadata.groupTraits.', { name: 'Acme' }),
})

const ignoredSchema = callOf({
  type: string().oneOf(IGNORED_TYPES).required(),
  ...anything(['userId', 'messageId', 'context', 'properties']),
})

const SCHEMAS = {
  identify: identifySchema,
  track: trackSchema,
  alias: aliasSchema,
  group: groupSchema,
  page: ignoredSchema,
  screen: ignoredSchema,
} as const
const CALL_TYPES = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[]
export const WRONG_TYPE = `type must be one of the following values: ${CALL_TYPES.join(', ')}`

export type IdentifyCall = InferType<typeof identifySchema>
export type TrackCall = InferType<typeof trackSchema>
export type AliasCall = InferType<typeof aliasSchema>
export type GroupCall = InferType<typeof groupSchema>
export type SourceCall = IdentifyCall | TrackCall | AliasCall | GroupCall | InferType<typeof ignoredSchema>

/** The schema of a call, by its type; `undefined` for an unknown type. */
export const schemaOfType = (type: unknown) =>
  CALL_TYPES.filter((known) => known === type).map((known) => SCHEMAS[known])[0]

/** Requires that a field is absent, because a call may have any others. */
const without = (field: string) => ({ not: { properties: { [field]: {} }, required: [field] } })

const described = (component: string, schema: Schema): Schema => schema.meta({ component, json: without('batch') })

/** One call. The operations validate it by its type. */
const CALLS = [
  described('SourceIdentify', identifySchema),
  described('SourceTrack', trackSchema),
  described('SourceAlias', aliasSchema),
  described('SourceGroup', groupSchema),
  described('SourceIgnored', ignoredSchema),
]
const callSchema = lazy((given: { type?: unknown } | null) => schemaOfType(given?.type) ?? ignoredSchema)

const batch = () =>
  array()
    .max(MAX_CALLS, `batch array must not exceed ${MAX_CALLS} items`)
    .meta({
      description: 'Calls, in their order. An invalid one does not affect the others.',
      variants: [(callSchema as unknown as Schema).meta({ variants: CALLS })],
    })

/** `POST /sources/segment`. */
export const sourceSchema = object({
  batch: batch(),
  ...anything([
    'type',
    'userId',
    'messageId',
    'context',
    'traits',
    'event',
    'properties',
    'previousId',
    'groupId',
    'timestamp',
  ]),
}).meta({
  open: true,
  variants: [...CALLS, object({ batch: batch().required() }).meta({ open: true, component: 'SourceBatch' })],
  example: { type: 'track', userId: '4711', event: 'Order Completed', properties: { total: 59.9 }, messageId: 'm-1' },
})

/** `POST /sources/segment/v1/batch`. */
export const batchSchema = object({ batch: batch().required() }).meta({ open: true })
