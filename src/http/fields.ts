import { mixed, number, object, string, type AnyObject, type ObjectSchema, type Schema } from 'yup'
import { jsonBytes } from '../platform/json.ts'
import { isTimestamp } from '../platform/timestamp.ts'
import { EXAMPLE_ID } from './operation.ts'
import './locale.ts'

declare module 'yup' {
  /** Metadata of a schema for the OpenAPI document, in addition to what yup knows. */
  interface CustomSchemaMetadata {
    description?: string
    example?: unknown
    /** The name of the schema in the document's components, which describe it once for all its uses. */
    component?: string
    /** Keywords of JSON Schema that have no yup check of the same name. */
    json?: Record<string, unknown>
    /** True if an object may have unknown keys, which are ignored. In other objects they are an error. */
    open?: true
    /** Unknown keys of an object that are ignored: those of its response, so that it can be sent back. */
    ignored?: readonly string[]
    /** Names that other services use, each with the field that has its meaning here. */
    synonyms?: Readonly<Record<string, string>>
    /** Advice about a field that other services have and this one does not. */
    instead?: Readonly<Record<string, string>>
    /** True if the text is an ID, which is then converted to its canonical form. */
    isId?: boolean
    /**
     * The possible schemas of a lazy schema; the alternatives of an object; the intended items of an array that does not check
     * its items.
     */
    variants?: readonly Schema[]
  }
}

/** A text that Postgres can store: any character except NUL. */
export const text = () => string().meta({ json: { pattern: '^[^\\u0000]*$' } })

/** At least one visible character. The class is written out, because `\s` differs between languages. */
// eslint-disable-next-line no-control-regex -- the expression is about control characters
const FILLED = /^[^\u0000]*[^\s\u0000-\u001f\u0085\ufeff][^\u0000]*$/

/** A text that is neither empty nor only whitespace. */
export const filledText = () =>
  string()
    .test({
      name: 'filled',
      message: ({ path }) => `${path} must not be empty`,
      test: (value) => value === undefined || value === null || FILLED.test(value),
    })
    .meta({ json: { pattern: FILLED.source } })

/** Limits a text to `max` code points, as JSON Schema counts them. yup's own `max` counts UTF-16 units. */
export const atMost = (max: number) => ({
  name: 'max',
  params: { max },
  message: ({ path }: { path: string }) => `${path} must not be longer than ${max} characters`,
  test: (value: string | null | undefined) =>
    value === undefined ||
    value === null ||
    value.length <= max ||
    // A code point has at most two units, so a text that is far too long is not counted.
    (value.length <= 2 * max && [...value].length <= max),
})

/**
 * The ID of a resource, given by the caller in upper or lower case. The schema accepts any text: services report an ID that does
 * not exist.
 */
export const givenId = (description: string) => filledText().meta({ description, isId: true, example: EXAMPLE_ID })

/** A JSON object with arbitrary keys. */
export const freeObject = () =>
  mixed<Record<string, unknown>>()
    .test({
      name: 'object',
      message: ({ path }) => `${path} must be a JSON object`,
      test: (value: unknown, { schema }) =>
        value === undefined ||
        (value === null
          ? (schema as { spec: { nullable: boolean } }).spec.nullable
          : typeof value === 'object' && !Array.isArray(value)),
    })
    .meta({ json: { type: 'object', additionalProperties: true } })

/** A JSON object of at most `max` bytes as JSON. */
export const boundedObject = (max: number) =>
  freeObject()
    .test({
      name: 'bytes',
      message: ({ path }) => `${path} must not be larger than ${max} bytes as JSON`,
      test: (value) => value === undefined || jsonBytes(value) <= max,
    })
    .meta({ json: { type: 'object', additionalProperties: true, [MAX_BYTES]: max } })

/** An extension keyword for a limit that JSON Schema cannot express. */
export const MAX_BYTES = 'x-max-bytes'

/** The ID of a resource, in a response. */
export const id = (of: string) =>
  string()
    .required()
    .meta({ description: `The ${of}'s identifier.`, json: { format: 'uuid' }, example: EXAMPLE_ID })

/** A point in time, in a response: ISO 8601, UTC. */
export const timestamp = (description: string) =>
  string()
    .required()
    .meta({ description, json: { format: 'date-time' }, example: '2026-11-21T09:30:00.000Z' })

/** A point in time, in a request: ISO 8601 with a time zone. */
export const instant = (description: string) =>
  string()
    .test({
      name: 'instant',
      message: ({ path }) => `${path} must be a time such as 2026-11-21T09:30:00Z`,
      test: (value) => value === undefined || isTimestamp(value),
    })
    .meta({ description, json: { format: 'date-time' }, example: '2026-11-21T09:30:00Z' })

/** A text that may be null, in a response. */
export const nullableText = (description: string, example: string | null = null) =>
  string().nullable().defined().meta({ description, example })

/** A count, in a response. */
export const count = (description: string, example = 1) =>
  number().integer().min(0).required().meta({ description, example })

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** The highest page number: beyond it, the offset would exceed Postgres's integer range. */
const MAX_PAGE = 1_000_000_000

const pageNumber = (name: string, fallback: number, max: number) => {
  const range = `${name} must be an integer from 1 to ${max}`
  return number().typeError(range).integer(range).min(1, range).max(max, range).default(fallback)
}

/** The page size, in the query of a list. */
export const pageLimit = () =>
  pageNumber('limit', DEFAULT_LIMIT, MAX_LIMIT).meta({ description: 'Items per page.', example: 50 })

/** The query of every list with page numbers: the page and its size. */
export const pageQuery = <Fields extends AnyObject = Record<never, never>>(fields: Fields = {} as Fields) =>
  object({
    page: pageNumber('page', 1, MAX_PAGE).meta({ description: 'The page number, from 1.', example: 1 }),
    limit: pageLimit(),
    ...fields,
  })

/** The envelope of one resource. */
export const single = <Data extends Schema>(data: Data): ObjectSchema<AnyObject> => object({ data })

/** Responds with one resource. */
export const ok = (data: unknown) => ({ status: 200, body: { data } })

/** Responds with a newly created resource. */
export const created = (data: unknown) => ({ status: 201, body: { data } })

const pagination = object({
  page: number().integer().min(1).required().meta({ example: 1 }),
  limit: number().integer().min(1).max(MAX_LIMIT).required().meta({ example: 50 }),
  total: count('The number of items on all pages.'),
  totalPages: count('The number of pages.'),
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

/** Builds a page of a list. */
export const pageResponse = <Item>(data: Item[], { page, limit }: Page, total: number) => ({
  status: 200,
  body: { data, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } },
})

/** The maximum length of a name, in characters. */
export const MAX_NAME_LENGTH = 200
