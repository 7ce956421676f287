import { toObjects } from './sql.ts'
import { timestampForPostgres } from '../timestamp.ts'

/** Where in a list, newest first, something stands. */
export interface Place {
  /** Its time, in microseconds since 1970, as text: a number would do, and a Date has milliseconds alone. */
  micros: string
  id: string
}

/** An expression of SQL: the time of a row's place, as its column `micros`. @param at the column of its time */
export const microsOf = (at: string): string => `(extract(epoch from ${at}) * 1000000)::bigint::text as micros`

/**
 * A condition of SQL: whether a row comes behind a place, newest first; or there is none.
 * @param at the column of its time; that of its id is `id`
 * @param micros,id the parameters of the place, such as `$3` and `$4`: both null where there is none
 */
export const isBehind = (at: string, micros: string, id: string): string =>
  `(${micros}::bigint is null
     or (${at}, id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid))`

/** Turns the rows of a page into its items, each with its place. @see toObjects */
export const toItems = <Item extends { id: string; place: Place }>(
  rows: readonly unknown[],
  ...dates: (keyof Item & string)[]
): Item[] =>
  toObjects<Item & { micros: string }>(rows, ...dates).map(
    ({ micros, ...item }) => ({ ...item, place: { micros, id: item.id } }) as unknown as Item,
  )

export interface NewestPage {
  table: string
  /** What is read of each row, which is called `item`. */
  columns: string
  /** The column of its time. */
  at: string
  /** A condition on what the list is of, such as `item.automation_id = $1::uuid`. */
  of: string
  /** Each status has its own part of the index, so that a rare one is found among millions of others. */
  statuses: readonly string[]
  behind?: Place | undefined
  /** Timestamps, see `isTimestamp`. */
  since?: string | undefined
  until?: string | undefined
  limit: number
}

/**
 * The text of a statement that reads a page of a list, newest first, in the same time wherever it begins. It needs an index on
 * what the list is of, the status, the time and the id.
 *
 * @param parameters those of the conditions so far; those of the page are put behind them
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
  const most = bound(limit, 'integer')
  return `
select item.*, ${microsOf(`item.${at}`)}
from unnest(${bound(statuses, 'text[]')}) as wanted(status)
cross join lateral (
  select item.id, item.${at}, ${columns} from ${table} item
  where ${conditions.join(' and ')}
  order by item.${at} desc, item.id desc limit ${most}
) item
order by item.${at} desc, item.id desc limit ${most}`
}
