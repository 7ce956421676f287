import { array, boolean, number, object, string } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import { FIELD_PATTERN, isConsistent, isField } from './decision.ts'
import { CONSENTS } from './mapping.ts'
import { PRESET_NAMES } from './presets.ts'
import { MAX_COLUMNS } from './upload.ts'
import { DATE_FORMATS, NUMBER_FORMATS, SEPARATORS, VALUE_TYPES } from './values.ts'

const MAX_TAGS = 100
const MAX_VALUES = 100

const values = (description: string, example: string) =>
  array()
    .of(text().defined().test(atMost(1_000)).meta({ example }))
    .max(MAX_VALUES)
    .meta({ description })

const columnSchema = object({
  column: filledText()
    .required()
    .test(atMost(10_000))
    .meta({ description: 'The title of the column. An untitled column is "Column 3".', example: 'E-Mail' }),
  field: string()
    .required()
    .test({
      name: 'field',
      message: ({ path }) =>
        `${path} must be email, firstName, name, externalId, tags, consent, metadata, nothing, or metadata. and a key`,
      test: (value) => value === undefined || isField(value),
    })
    .meta({ json: { pattern: FIELD_PATTERN }, example: 'email' }),
  type: string().oneOf(VALUE_TYPES).meta({ description: 'For metadata: the type. Defaults to text.', example: 'text' }),
  format: string()
    .oneOf([...DATE_FORMATS, ...NUMBER_FORMATS, ...SEPARATORS])
    .meta({ description: 'The format of a date or a number, or the separator of tags.', example: 'YYYY-MM-DD' }),
  yes: values(
    'For consent, and metadata of the type boolean: the values that mean yes. Every other value means no, an empty one too.',
    'yes',
  ),
  bounced: values(
    'For consent: the values of addresses that bounced. "*" is every value that does not mean yes.',
    'bounced',
  ),
  blocked: values('For consent: the values of addresses that must get no email at all.', 'blocked'),
})
  .test({
    name: 'column',
    message: ({ path }) => `${path} has a type, format or values that do not belong to its field`,
    test: (given) => isConsistent(given),
  })
  .meta({ example: { column: 'Since', field: 'metadata.since', type: 'date', format: 'DD/MM/YYYY' } })

const mappingFields = {
  preset: string()
    .nullable()
    .oneOf([...PRESET_NAMES, null] as const)
    .meta({
      description: 'The service that exported the file. It decides the columns that the service defines.',
      example: null,
    }),
  columns: array()
    .of(columnSchema.required())
    .max(MAX_COLUMNS)
    .meta({
      description:
        'What the columns mean. Titles such as email, first name, last name and external ID need no decision. An import does not ' +
        'start before every other column is decided.',
    }),
  consent: string()
    .nullable()
    .oneOf([...CONSENTS, null] as const)
    .meta({
      description:
        'The consent of the contacts. SUBSCRIBED: everyone opted in. COLUMNS: the columns mapped to consent hold it; the default if ' +
        'there are any. UNSUBSCRIBED: the contacts get no marketing until they opt in. BOUNCED: the addresses get no email.',
      example: 'SUBSCRIBED',
    }),
  listId: text()
    .nullable()
    .meta({ description: 'A list that the contacts join, except those who opted out.', isId: true }),
  tags: array()
    .of(filledText().required().test(atMost(100)).meta({ example: 'imported' }))
    .max(MAX_TAGS),
  triggers: boolean().meta({
    description: 'Whether the import starts automations. Defaults to false.',
    example: false,
  }),
  confirmed: boolean().meta({
    description:
      'Whether the contacts already confirmed the list in another system. If not, a list with doubleOptIn sends them confirmation ' +
      'requests if triggers is true.',
    example: false,
  }),
}

/** Maximum size of a chunk, in bytes of UTF-8. */
export const MAX_CHUNK_BYTES = 1024 * 1024

const content = () =>
  text().test({
    name: 'size',
    message: `text must not be longer than ${MAX_CHUNK_BYTES} bytes of UTF-8`,
    test: (value) => value == null || Buffer.byteLength(value) <= MAX_CHUNK_BYTES,
  })

/** `POST /imports`. */
export const importSchema = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .meta({ description: 'Name of the file.', example: 'customers.csv' }),
  ...mappingFields,
  text: content().meta({
    description: 'The whole file, if it has at most 1 MB. Upload a larger one in chunks.',
    example: 'email,first name\nada@example.com,Ada\n',
  }),
  start: boolean().meta({
    description: 'With text: starts the import. If the mapping is incomplete, no import is created.',
    example: false,
  }),
  size: number().integer().min(0).max(Number.MAX_SAFE_INTEGER).nullable().meta({
    description: 'Size of the whole file, in bytes of UTF-8. Used to show progress.',
    example: 1048576,
  }),
}).meta({ component: 'ImportInput' })

/** `PUT /imports/{id}/mapping`. */
export const mappingSchema = object(mappingFields).meta({ component: 'ImportMappingInput' })

/** `POST /imports/{id}/chunks`. */
export const chunkSchema = object({
  position: number()
    .integer()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .required()
    .meta({ description: 'Where the chunk begins, in bytes of UTF-8: the `position` of the import.', example: 0 }),
  text: content().defined().meta({
    description: 'The content. It may end in the middle of a row, but not in the middle of a character.',
    example: 'email,first name\nada@example.com,Ada\n',
  }),
  isLast: boolean().meta({ description: 'Whether this is the last chunk of the file.', example: true }),
}).meta({ component: 'ImportChunk' })
