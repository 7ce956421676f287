import { array, boolean, number, object, string } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import { FORMAT_NAMES, isField, STANDINGS } from './formats/index.ts'
import { MAX_COLUMNS } from './read-header.ts'

const MAX_CHOICES = 500
const MAX_TAGS = 100

/** `POST /imports`. */
export const importSchema = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .meta({ description: 'Of the file.', example: 'customers.csv' }),
  format: string().oneOf(FORMAT_NAMES).meta({ description: 'Whose file it is. Without one, csv.', example: 'csv' }),
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
        'Of the format csv: which column of the header is what. Others go by their names, such as email or first name, or become metadata.',
    }),
  header: array()
    .of(text().defined().meta({ example: 'E-Mail' }))
    .max(MAX_COLUMNS)
    .meta({
      description:
        'The titles of its columns, where they are known before: what is wrong with them is refused at once.',
    }),
  listId: text().nullable().meta({ description: 'A list that they join who have not opted out.', isId: true }),
  tags: array()
    .of(filledText().required().test(atMost(100)).meta({ example: 'imported' }))
    .max(MAX_TAGS),
  as: string()
    .nullable()
    .oneOf([...STANDINGS, null] as const)
    .meta({
      description:
        'What all of them are, where no column says more: UNSUBSCRIBED suppresses them for marketing, BOUNCED for every email.',
      example: 'SUBSCRIBED',
    }),
  triggers: boolean().meta({
    description: 'Whether automations start because of it. False where nothing is said.',
    example: false,
  }),
  confirmed: boolean().meta({
    description:
      'Whether they have confirmed elsewhere that they want to be in the list: of one with doubleOptIn they are asked else, where triggers is true.',
    example: false,
  }),
  size: number().integer().min(0).max(Number.MAX_SAFE_INTEGER).nullable().meta({
    description: 'Of the whole file, in bytes of UTF-8: progress is told of it.',
    example: 1048576,
  }),
}).meta({ component: 'ImportInput' })

/** How much of a file one call has, in bytes of UTF-8. */
export const MAX_CHUNK_BYTES = 1024 * 1024

/** `POST /imports/{id}/pieces`. */
export const pieceSchema = object({
  position: number()
    .integer()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .required()
    .meta({ description: 'Where it begins, in bytes of UTF-8: the position of the import.', example: 0 }),
  text: text()
    .defined()
    .test({
      name: 'size',
      message: `text must not be longer than ${MAX_CHUNK_BYTES} bytes of UTF-8`,
      test: (value) => value == null || Buffer.byteLength(value) <= MAX_CHUNK_BYTES,
    })
    .meta({
      description: 'What stands there. It may end in the middle of a row, never in the middle of a character.',
      example: 'email,first name\nada@example.com,Ada\n',
    }),
  isLast: boolean().meta({ description: 'Whether the file ends with it.', example: true }),
}).meta({ component: 'ImportPiece' })
