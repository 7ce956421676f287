import { array, boolean, number, object, string } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import { FORMAT_NAMES, isField, FILE_STATUSES } from './formats/index.ts'
import { MAX_COLUMNS } from './read-header.ts'

const MAX_CHOICES = 500
const MAX_TAGS = 100

/** `POST /imports`. */
export const importSchema = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .meta({ description: 'Name of the file.', example: 'customers.csv' }),
  format: string().oneOf(FORMAT_NAMES).meta({ description: 'Format of the file. Defaults to csv.', example: 'csv' }),
  columns: array()
    .of(
      object({
        column: filledText().required().test(atMost(1_000)).meta({ example: 'E-Mail' }),
        field: string()
          .required()
          .test({
            name: 'field',
            message: ({ path }) =>
              `${path} must be email, externalId, firstName, tags, subscribed, ticked, unsubscribed, nothing, or metadata. and a key`,
            test: (value) => value === undefined || isField(value),
          })
          .meta({
            json: {
              pattern:
                '^(email|externalId|firstName|tags|subscribed|ticked|unsubscribed|nothing|metadata\\.[^\\u0000]{1,200})$',
            },
            example: 'email',
          }),
      }).required(),
    )
    .max(MAX_CHOICES)
    .meta({
      description:
        'For csv: the fields of columns. Other columns are recognized by name, such as email or first name, or become metadata.',
    }),
  header: array()
    .of(text().defined().meta({ example: 'E-Mail' }))
    .max(MAX_COLUMNS)
    .meta({
      description: 'The titles of the columns, if you know them. An invalid header is then rejected immediately.',
    }),
  listId: text()
    .nullable()
    .meta({ description: 'A list that the contacts join, except those who opted out.', isId: true }),
  tags: array()
    .of(filledText().required().test(atMost(100)).meta({ example: 'imported' }))
    .max(MAX_TAGS),
  as: string()
    .nullable()
    .oneOf([...FILE_STATUSES, null] as const)
    .meta({
      description:
        'The status of contacts whose row does not specify one. UNSUBSCRIBED suppresses marketing, BOUNCED suppresses all email.',
      example: 'SUBSCRIBED',
    }),
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
  size: number().integer().min(0).max(Number.MAX_SAFE_INTEGER).nullable().meta({
    description: 'Size of the whole file, in bytes of UTF-8. Used to show progress.',
    example: 1048576,
  }),
}).meta({ component: 'ImportInput' })

/** Maximum size of a chunk, in bytes of UTF-8. */
export const MAX_CHUNK_BYTES = 1024 * 1024

/** `POST /imports/{id}/chunks`. */
export const chunkSchema = object({
  position: number()
    .integer()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .required()
    .meta({ description: 'Where the chunk begins, in bytes of UTF-8: the `position` of the import.', example: 0 }),
  text: text()
    .defined()
    .test({
      name: 'size',
      message: `text must not be longer than ${MAX_CHUNK_BYTES} bytes of UTF-8`,
      test: (value) => value == null || Buffer.byteLength(value) <= MAX_CHUNK_BYTES,
    })
    .meta({
      description: 'The content. It may end in the middle of a row, but not in the middle of a character.',
      example: 'email,first name\nada@example.com,Ada\n',
    }),
  isLast: boolean().meta({ description: 'Whether this is the last chunk of the file.', example: true }),
}).meta({ component: 'ImportChunk' })
