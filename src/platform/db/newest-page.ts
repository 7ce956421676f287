import { toObjects } from './sql.ts'
import { timestampForPostgres } from '../timestamp.ts'

/** A cursor: the position of an item in a list, newest first. */
export interface Cursor {
  /** Microseconds since 1970 as text, because a Date has only milliseconds. */
  micros: string
  id: string
}

/** SQL expression for the time in a row's cursor, as its column `micros`. @param at the column of its time */
export const microsOf = (at: string): string => `(extract(epoch from ${at}) * 1000000)::bigint::text as micros`

/**
 * SQL condition that is true for rows after a cursor, newest first, and for all rows if there is no cursor.
 * @param at the column of the row's time; its ID is in `id`
 * @param micros,id the parameters of the cursor, such as `$3` and `$4`: both null if there is none
 */
export const isAfterCursor = (at: string, micros: string, id: string): string =>
  `(${micros}::bigint is null
     or (${at}, id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid))`

/** Turns the rows of a page into items, each with its cursor. @see toObjects */
export const toItems = <Item extends { id: string; place: Cursor }>(
  rows: readonly unknown[],
  ...dates: (keyof Item & string)[]
): Item[] =>
  toObjects<Item & { micros: string }>(rows, ...dates).map(
    ({ micros, ...item }) => ({ ...item, place: { micros, id: item.id } }) as unknown as Item,
  )

export interface NewestPage {
  table: string
  /** The columns to read from the table, whose alias is `item`. */
  columns: string
  /** The column of the row's time. */
  at: string
  /** A condition that selects the list, such as `item.automation_id = $1::uuid`. */
  of: string
  /** Each status is read from its own range of the index, so that a rare status is found quickly among millions of rows. */
  statuses: readonly string[]
  behind?: Cursor | undefined
  /** Timestamps, see `isTimestamp`. */
  since?: string | undefined
  until?: string | undefined
  limit: number
}

/**
 * Builds a statement that reads a page of a list, newest first. Its cost does not depend on where the page begins. Requires an
 * index on the list's column, the status, the time and the ID.
 *
 * @param parameters the parameters of the conditions; those of the page are appended
 */
export function newestPage(
  { table, columns, at, of, statuses, behind, since, until, limit }: NewestPage,
  parameters: unknown[],
): string {
  const bound = (value: unknown, type: string) => `$${parameters.push(value)}::${type}`
  const conditions = [of, 'item.status = wanted.status']
  if (behind) {
    const time = `timestamptz 'epoch' + ${bound(behind.micros, 'bigint')} * interval '1 microsecond'`
    conditions.push(`(item.${at}, item.id) < (${time}, ${bound(behind.id, 'uuid')})`)
  }
  if (since) conditions.push(`item.${at} >= ${bound(timestampForPostgres(since), 'timestamptz')}`)
  if (until) conditions.push(`item.${at} < ${bound(timestampForPostgres(until), 'timestamptz')}`)
  const pageSize = bound(limit, 'integer')
  return `
select item.*, ${microsOf(`item.${at}`)}
from unnest(${bound(statuses, 'text[]')}) as wanted(status)
cross join lateral (
  select item.id, item.${at}, ${columns} from ${table} item
  where ${conditions.join(' and ')}
  order by item.${at} desc, item.id desc limit ${pageSize}
) item
order by item.${at} desc, item.id desc limit ${pageSize}`
}
