import { array, number, object, string, type AnyObject, type ObjectSchema, type Schema } from 'yup'
import { invalid } from '../platform/refusal.ts'
import { isId } from '../platform/ids.ts'
import type { Place } from '../platform/db/newest-page.ts'
import { pageLimit } from './fields.ts'

/**
 * The query of a list that grows at its head while it is read: page numbers would show rows twice, and the last of millions
 * would be as far as they are many. Each page names where the next one begins.
 */
export const cursorQuery = <Fields extends AnyObject = Record<never, never>>(fields: Fields = {} as Fields) =>
  object({
    limit: pageLimit(),
    cursor: string()
      .min(1)
      .max(100)
      .meta({ description: 'Where the page begins: nextCursor of the page before.', example: EXAMPLE_CURSOR }),
    ...fields,
  })

/** The envelope of such a list. */
export const cursorListOf = (items: Schema): ObjectSchema<AnyObject> =>
  object({
    data: array().of(items).required(),
    pagination: object({
      limit: number().integer().min(1).required().meta({ example: 50 }),
      nextCursor: string()
        .nullable()
        .defined()
        .meta({ description: 'Where the next page begins; null where this is the last one.', example: EXAMPLE_CURSOR }),
    })
      .required()
      .meta({ component: 'CursorPagination' }),
  })

const EXAMPLE_CURSOR = 'MTc2Mzc5OTM0NTY3ODkwMS4wMTk5ZjNhMS03YzRlLTdiNWEtOWQwZS0zZjhhMmI2YzFkNGU'

/** Reads where a page begins. @throws {Refusal} `invalid` for what is no cursor */
export function readCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  const [, micros, id] = /^(\d{1,16})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (micros === undefined || id === undefined || !isId(id)) {
    throw invalid('cursor must be the nextCursor of a page of this list', '/cursor')
  }
  return { micros, id }
}

const writeCursor = ({ micros, id }: Place): string => Buffer.from(`${micros}.${id}`).toString('base64url')

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
