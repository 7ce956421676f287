import { mixed, number, object, string, type AnyObject, type ObjectSchema, type Schema } from 'yup'
import { jsonBytes } from '../platform/json.ts'
import { isTimestamp } from '../platform/timestamp.ts'
import { EXAMPLE_ID } from './operation.ts'
import './locale.ts'

declare module 'yup' {
  /** What a schema tells the OpenAPI document beyond what it checks. */
  interface CustomSchemaMetadata {
    description?: string
    example?: unknown
    /** The name under which the document describes it, once for all its uses. */
    component?: string
    /** Keywords of JSON Schema that yup has no check for by that name. */
    json?: Record<string, unknown>
    /** Whether a text is an id: it is put into the one spelling in which ids are compared. */
    isId?: boolean
    /**
     * Of a lazy schema, what it can turn out to be; of an object, what it is one of; of an array that does not check its items,
     * what they should be.
     */
    variants?: readonly Schema[]
  }
}

/** A text with what can be stored: any character but NUL. */
export const text = () => string().meta({ json: { pattern: '^[^\\u0000]*$' } })

/** At least one character that shows. The same class in every language's regular expressions, whatever its `\s` is. */
// eslint-disable-next-line no-control-regex -- they are what it is about
const FILLED = /^[^\u0000]*[^\s\u0000-\u001f\u0085\ufeff][^\u0000]*$/

/** A text that says something: not empty, and not only white space. */
export const filledText = () =>
  string()
    .test({
      name: 'filled',
      message: ({ path }) => `${path} must not be empty`,
      test: (value) => value === undefined || value === null || FILLED.test(value),
    })
    .meta({ json: { pattern: FILLED.source } })

/** At most so many characters, counted as people and JSON Schema count them; yup's own `max` counts UTF-16 units. */
export const atMost = (max: number) => ({
  name: 'max',
  params: { max },
  message: ({ path }: { path: string }) => `${path} must not be longer than ${max} characters`,
  test: (value: string | null | undefined) =>
    value === undefined ||
    value === null ||
    value.length <= max ||
    // No character has more than two units: what is far too long is not counted.
    (value.length <= 2 * max && [...value].length <= max),
})

/** The id of something, given by the caller in any case. What is no id names nothing there is, which is for services to say. */
export const givenId = (description: string) => filledText().meta({ description, isId: true, example: EXAMPLE_ID })

/** A JSON object with keys of the caller's choice. */
export const freeObject = () =>
  mixed<Record<string, unknown>>()
    .test({
      name: 'object',
      message: ({ path }) => `${path} must be a JSON object`,
      test: (value) => value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value)),
    })
    .meta({ json: { type: 'object', additionalProperties: true } })

/** A JSON object of at most so many bytes as JSON. */
export const boundedObject = (max: number) =>
  freeObject()
    .test({
      name: 'bytes',
      message: ({ path }) => `${path} must not be larger than ${max} bytes as JSON`,
      test: (value) => value === undefined || jsonBytes(value) <= max,
    })
    .meta({ json: { type: 'object', additionalProperties: true, [MAX_BYTES]: max } })

/** A keyword of ours, for a limit that JSON Schema has no word for. */
export const MAX_BYTES = 'x-max-bytes'

/** The id of something, in an answer. */
export const id = (of: string) =>
  string()
    .required()
    .meta({ description: `The ${of}'s identifier.`, json: { format: 'uuid' }, example: EXAMPLE_ID })

/** A point in time, in an answer: ISO 8601, UTC. */
export const timestamp = (description: string) =>
  string()
    .required()
    .meta({ description, json: { format: 'date-time' }, example: '2026-11-21T09:30:00.000Z' })

/** A point in time, given by the caller: ISO 8601 with its zone. */
export const instant = (description: string) =>
  string()
    .test({
      name: 'instant',
      message: ({ path }) => `${path} must be a time such as 2026-11-21T09:30:00Z`,
      test: (value) => value === undefined || isTimestamp(value),
    })
    .meta({ description, json: { format: 'date-time' }, example: '2026-11-21T09:30:00Z' })

/** A text that may be null, in an answer. */
export const nullableText = (description: string, example: string | null = null) =>
  string().nullable().defined().meta({ description, example })

/** A count, in an answer. */
export const count = (description: string, example = 1) =>
  number().integer().min(0).required().meta({ description, example })

/** How much a page of a list has, and at most. */
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** The highest page: beyond it the offset would leave what Postgres counts with. */
const MAX_PAGE = 1_000_000_000

const pageNumber = (name: string, fallback: number, max: number) => {
  const range = `${name} must be an integer from 1 to ${max}`
  return number().typeError(range).integer(range).min(1, range).max(max, range).default(fallback)
}

/** How long a page is to be, in the query of a list. */
export const pageLimit = () =>
  pageNumber('limit', DEFAULT_LIMIT, MAX_LIMIT).meta({ description: 'Items on a page.', example: 50 })

/** The query of every list: which page, and how long one is. */
export const pageQuery = <Fields extends AnyObject = Record<never, never>>(fields: Fields = {} as Fields) =>
  object({
    page: pageNumber('page', 1, MAX_PAGE).meta({ description: 'The page, from 1.', example: 1 }),
    limit: pageLimit(),
    ...fields,
  })

/** The envelope of one resource. */
export const single = <Data extends Schema>(data: Data): ObjectSchema<AnyObject> => object({ data })

/** Responds with one resource. */
export const ok = (data: unknown) => ({ status: 200, body: { data } })

/** Responds with a resource that was created. */
export const created = (data: unknown) => ({ status: 201, body: { data } })

const pagination = object({
  page: number().integer().min(1).required().meta({ example: 1 }),
  limit: number().integer().min(1).max(MAX_LIMIT).required().meta({ example: 50 }),
  total: count('How many items there are, on all pages.'),
  totalPages: count('How many pages there are.'),
})
  .required()
  .meta({ component: 'Pagination' })

/** The envelope of a list. */
export const listOf = (items: Schema): ObjectSchema<AnyObject> => object({ data: items, pagination })

export interface Page {
  page: number
  limit: number
}

export const rangeOf = ({ page, limit }: Page) => ({ limit, offset: (page - 1) * limit })

/** A page of a list, as it is answered. */
export const listAnswer = <Item>(data: Item[], { page, limit }: Page, total: number) => ({
  status: 200,
  body: { data, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } },
})

/** How long a name is at most, in characters. */
export const MAX_NAME_LENGTH = 200
