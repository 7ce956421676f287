import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Days are in UTC, according to Postgres's clock. */
const TODAY = `(now() at time zone 'UTC')::date`

/** SQL expression for a row of `senders`: number of completed days of the warm-up. */
const DAYS_OVER = `greatest(${TODAY} - senders.warm_up_since, 0)`
const GROWTH = `(1 + senders.warm_up_growth_percent / 100.0::float8)`

/**
 * SQL expression for a row of `senders`: maximum emails today, or null if it has no warm-up or has completed it. Compares
 * logarithms, because daily growth over years would exceed the range of a number.
 */
export const ALLOWED_TODAY = `case
    when ${DAYS_OVER} * ln(${GROWTH}) < ln(senders.warm_up_up_to::float8 / senders.warm_up_per_day)
    then round(senders.warm_up_per_day * power(${GROWTH}, ${DAYS_OVER}))::integer
  end`

/** A part of a day's quota. */
export interface QuotaShare {
  granted: number
  /** The day as `YYYY-MM-DD`, or `null` if there is no limit. */
  day: string | null
  /** Seconds until the next day's quota. */
  moreInSeconds: number
}

/**
 * Takes quota for today's emails in one statement, so that concurrent callers never share it. Callers return unused quota. A
 * process that crashes loses its quota for the day: sending too few emails is better than sending too many.
 *
 * @param mayExceed whether these emails count but are not limited
 */
export async function takeWarmUpQuota(
  em: EntityManager,
  workspaceId: string,
  wanted: number,
  mayExceed: boolean,
): Promise<QuotaShare> {
  for (;;) {
    const [row] = await sql<TakenRow>(em, TAKE, [workspaceId, wanted, mayExceed])
    const isWarmingUp = row !== undefined
    if (!isWarmingUp) return { granted: wanted, day: null, moreInSeconds: 0 }
    if (row.granted !== null) return { granted: row.granted, day: row.day, moreInSeconds: row.more_in }
    // The day has no row yet.
    await sql(em, BEGIN_DAY, [workspaceId, row.day])
  }
}

interface TakenRow {
  day: string
  /** `null` if the day has no row yet. */
  granted: number | null
  more_in: number
}

/** Returns no row if the workspace has no warm-up, or completed it. */
const TAKE = `
with warm_up as (
  select workspace_id, ${ALLOWED_TODAY} as allowed from senders where workspace_id = $1::uuid
),
today as (
  select day.workspace_id, day.day,
    case when $3::boolean then $2::integer else least($2::integer, greatest(warm_up.allowed - day.mailed, 0)) end as granted
  from warm_up join warm_up_days day on day.workspace_id = warm_up.workspace_id and day.day = ${TODAY}
  where warm_up.allowed is not null
  for update of day
),
taken as (
  update warm_up_days set mailed = warm_up_days.mailed + today.granted
  from today where warm_up_days.workspace_id = today.workspace_id and warm_up_days.day = today.day
)
select to_char(${TODAY}, 'YYYY-MM-DD') as day, (select granted from today) as granted,
  extract(epoch from (${TODAY} + 1)::timestamp at time zone 'UTC' - now())::float8 as more_in
from warm_up where allowed is not null`

const BEGIN_DAY = `
insert into warm_up_days (workspace_id, day) values ($1::uuid, $2::date) on conflict do nothing`

/** Returns unused quota. */
export async function returnQuota(em: EntityManager, workspaceId: string, day: string, count: number): Promise<void> {
  await sql(
    em,
    `update warm_up_days set mailed = greatest(mailed - $3::integer, 0) where workspace_id = $1::uuid and day = $2::date`,
    [workspaceId, day, count],
  )
}

/** Returns the unused part of a quota. Ignores errors: the quota is then lost for the day. */
export async function returnUnusedQuota(
  em: EntityManager,
  workspaceId: string,
  { day, granted }: QuotaShare,
  mailed: number,
): Promise<void> {
  if (day !== null && mailed < granted) await returnQuota(em, workspaceId, day, granted - mailed).catch(() => undefined)
}

/** Settings of a warm-up. */
export interface WarmUpInput {
  /** Maximum emails on the first day. */
  perDay: number
  /** Daily growth. */
  growthPercent: number
  /** The warm-up ends when the daily limit reaches this number. */
  upTo: number
}

/** State of a warm-up. */
export interface WarmUp extends WarmUpInput {
  /** First day, as `YYYY-MM-DD`. */
  since: string
  /** Number of the current day, from 1. */
  day: number
  /** Maximum emails today, or `null` if the warm-up is over. */
  allowedToday: number | null
  sentToday: number
}

/**
 * Returns the maximum emails on a day of a warm-up; `null` if it is over then. The same rule as `ALLOWED_TODAY`.
 *
 * @param day `YYYY-MM-DD`
 */
export function allowedOn({ perDay, growthPercent, upTo, since }: WarmUpInput & { since: string }, day: string) {
  const daysOver = Math.max(0, Math.round((Date.parse(day) - Date.parse(since)) / DAY_MS))
  const growth = 1 + growthPercent / 100
  return daysOver * Math.log(growth) < Math.log(upTo / perDay) ? Math.round(perDay * growth ** daysOver) : null
}

const DAY_MS = 86_400_000

/** Reads the warm-up of a workspace, including a completed one; `undefined` if it has none. */
export async function readWarmUp(em: EntityManager, workspaceId: string): Promise<WarmUp | undefined> {
  const [row] = await sql<WarmUp>(
    em,
    `select warm_up_per_day as "perDay", warm_up_growth_percent as "growthPercent", warm_up_up_to as "upTo",
       to_char(warm_up_since, 'YYYY-MM-DD') as since, ${DAYS_OVER} + 1 as day, ${ALLOWED_TODAY} as "allowedToday",
       coalesce((
         select mailed from warm_up_days day where day.workspace_id = senders.workspace_id and day.day = ${TODAY}
       ), 0) as "sentToday"
     from senders where workspace_id = $1::uuid and warm_up_since is not null`,
    [workspaceId],
  )
  return row
}

/** Starts a warm-up today, or changes the settings of one in progress. */
export async function setWarmUp(
  em: EntityManager,
  workspaceId: string,
  { perDay, growthPercent, upTo }: WarmUpInput,
): Promise<void> {
  await sql(
    em,
    `insert into senders (workspace_id, warm_up_per_day, warm_up_growth_percent, warm_up_up_to, warm_up_since)
     values ($1::uuid, $2::integer, $3::integer, $4::integer, ${TODAY})
     on conflict (workspace_id) do update set
       warm_up_per_day = excluded.warm_up_per_day, warm_up_growth_percent = excluded.warm_up_growth_percent,
       warm_up_up_to = excluded.warm_up_up_to,
       warm_up_since = case when ${ALLOWED_TODAY} is null then excluded.warm_up_since else senders.warm_up_since end,
       updated_at = now()`,
    [workspaceId, perDay, growthPercent, upTo],
  )
}

/** Ends a warm-up, which removes the daily limit. */
export async function endWarmUp(em: EntityManager, workspaceId: string): Promise<void> {
  await sql(
    em,
    `update senders set warm_up_per_day = null, warm_up_growth_percent = null, warm_up_up_to = null, warm_up_since = null,
       updated_at = now()
     where workspace_id = $1::uuid`,
    [workspaceId],
  )
}
