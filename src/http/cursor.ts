import { array, number, object, string, type AnyObject, type ObjectSchema, type Schema } from 'yup'
import type { Place } from '../platform/db/newest-page.ts'
import { pageLimit, nullableText } from './fields.ts'
import { EXAMPLE_ID } from './operation.ts'

const CURSOR = /^[0-9]{1,16}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const EXAMPLE_CURSOR = `1763799345678901.${EXAMPLE_ID}`

/** Where a page begins: a time, in microseconds since 1970, and an id. Nobody but the service makes one. */
export const cursor = () =>
  string()
    .matches(CURSOR, ({ path }) => `${path} must be the nextCursor of a page of this list`)
    .meta({
      description: 'Where the page begins: nextCursor of the page before.',
      json: { pattern: CURSOR.source },
      example: EXAMPLE_CURSOR,
    })

/**
 * The query of a list that grows at its head while it is read: page numbers would show rows twice, and the last of millions
 * would be as far as they are many. Each page names where the next one begins.
 */
export const cursorQuery = <Fields extends AnyObject = Record<never, never>>(fields: Fields = {} as Fields) =>
  object({
    limit: pageLimit(),
    cursor: cursor(),
    ...fields,
  })

/** The envelope of such a list. */
export const cursorListOf = (items: Schema): ObjectSchema<AnyObject> =>
  object({
    data: array().of(items).required(),
    pagination: object({
      limit: number().integer().min(1).required().meta({ example: 50 }),
      nextCursor: nullableText('Where the next page begins; null where this is the last one.', EXAMPLE_CURSOR),
    })
      .required()
      .meta({ component: 'CursorPagination' }),
  })

/** Reads where a page begins, from what `cursor` lets through. */
export function readCursor(given: string | undefined): Place | undefined {
  const [micros, id] = given?.split('.') ?? []
  return micros !== undefined && id !== undefined ? { micros, id } : undefined
}

const writeCursor = ({ micros, id }: Place): string => `${micros}.${id}`

/** A page of such a list, as it is answered. @param page so many items as were asked for, and one more where there are more */
export function cursorAnswer<Item extends { place: Place }, Told>(
  page: readonly Item[],
  limit: number,
  tell: (item: Item) => Told,
) {
  const data = page.slice(0, limit)
  const nextCursor = page.length > limit ? writeCursor(data.at(-1)!.place) : null
  return { status: 200, body: { data: data.map(tell), pagination: { limit, nextCursor } } }
}

/** Where the next page begins, behind the last of some. */
export const cursorBehind = (place: Place | undefined): string | null => (place ? writeCursor(place) : null)
