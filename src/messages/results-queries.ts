import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { RESULT_COUNTERS, type ResultCounts } from './results.ts'

/** The maximum number of links in a report. */
export const MAX_LINKS = 50

export interface LinkClicks {
  /** The step; for a campaign, the number of the variant plus one. */
  stepId: string
  url: string
  clicks: number
}

/** Reads the links of an automation or campaign that most contacts clicked. Clicks of the last second may be missing. */
export async function clickedLinks(em: EntityManager, automationId: string): Promise<LinkClicks[]> {
  const rows = await sql(
    em,
    `select step_id, url, clicks::float8 as clicks from link_clicks
     where automation_id = $1::uuid and clicks > 0 order by clicks desc, url limit $2`,
    [automationId, MAX_LINKS],
  )
  return toObjects<LinkClicks>(rows)
}

/** The results of the messages of a day. */
export interface DayResults {
  /** Such as `2026-11-27`. */
  date: string
  counts: ResultCounts
}

/**
 * Reads the results of an automation's or campaign's messages by the day (UTC) on which they were created. Days without any are left
 * out.
 *
 * @param days the number of days, up to the current one
 */
export async function resultsByDay(em: EntityManager, automationId: string, days: number): Promise<DayResults[]> {
  return sql<DayResults>(em, BY_DAY, [automationId, RESULT_COUNTERS, days])
}

const BY_DAY = `
select date, jsonb_object_agg(counter, count) as counts from (
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, counter, sum(count)::float8 as count from (
    select at, counter, count from flow_counters where subject = $1::uuid
    union all
    select at, counter, change from counter_changes where automation_id = $1::uuid
  ) changes
  where counter = any($2::text[])
    and at >= date_trunc('day', now(), 'UTC') - make_interval(days => $3::integer - 1)
  group by 1, 2 having sum(count) <> 0
) counters
group by 1 order by 1`
