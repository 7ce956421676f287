import { array, number, object, string, type AnyObject, type ObjectSchema, type Schema } from 'yup'
import type { Cursor } from '../platform/db/newest-page.ts'
import { pageLimit, nullableText } from './fields.ts'
import { EXAMPLE_ID } from './operation.ts'

const CURSOR = /^[0-9]{1,16}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const EXAMPLE_CURSOR = `1763799345678901.${EXAMPLE_ID}`

/** The start of a page: a time in microseconds since 1970 and an ID. Clients treat it as opaque. */
export const cursor = () =>
  string()
    .matches(CURSOR, ({ path }) => `${path} must be the nextCursor of another page of this list`)
    .meta({
      description: 'The start of the page: nextCursor of the previous page.',
      json: { pattern: CURSOR.source },
      example: EXAMPLE_CURSOR,
    })

/**
 * The query of a list with keyset pagination. Such a list grows at its head while it is read, so page numbers would show rows
 * twice, and a late page would take as long as all the pages before it. Each page names the start of the next one.
 */
export const cursorQuery = <Fields extends AnyObject = Record<never, never>>(fields: Fields = {} as Fields) =>
  object({
    limit: pageLimit(),
    cursor: cursor(),
    ...fields,
  })

/** The envelope of a list with keyset pagination. */
export const cursorListOf = (items: Schema): ObjectSchema<AnyObject> =>
  object({
    data: array().of(items).required(),
    pagination: object({
      limit: number().integer().min(1).required().meta({ example: 50 }),
      nextCursor: nullableText('The start of the next page; null if this is the last one.', EXAMPLE_CURSOR),
    })
      .required()
      .meta({ component: 'CursorPagination' }),
  })

/** Parses a cursor that `cursor` has validated. */
export function readCursor(given: string | undefined): Cursor | undefined {
  const [micros, id] = given?.split('.') ?? []
  return micros !== undefined && id !== undefined ? { micros, id } : undefined
}

const writeCursor = ({ micros, id }: Cursor): string => `${micros}.${id}`

/**
 * Builds a page of a list with keyset pagination.
 * @param page up to the requested number of items, and one more if there is a next page
 */
export function cursorPage<Item extends { place: Cursor }, Told>(
  page: readonly Item[],
  limit: number,
  tell: (item: Item) => Told,
) {
  const data = page.slice(0, limit)
  const nextCursor = page.length > limit ? writeCursor(data.at(-1)!.place) : null
  return { status: 200, body: { data: data.map(tell), pagination: { limit, nextCursor } } }
}

/** The cursor of the page after an item. */
export const cursorAfter = (place: Cursor | undefined): string | null => (place ? writeCursor(place) : null)
