import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'

/** Enrollments, and those of them that reached the goal within the window. */
export interface Converted {
  /** All enrollments. */
  enrolled: number
  /** Those that began longer ago than the window. Only these can be compared. */
  counted: number
  /** Those of `counted` that reached the goal within the window. */
  reached: number
}

export interface ConversionPeriod {
  automationId: string
  windowDays: number
}

export interface WeekConversion extends Converted {
  /** The Monday on which the week begins (UTC), such as `2026-08-03`. */
  week: string
  /** Those of `enrolled` that reached the goal so far, within the window. */
  reachedSoFar: number
}

export interface VersionConversion extends Converted {
  version: number
  publishedAt: Date
  /** The name of the member or API key, as long as the audit entry is kept. */
  publishedBy: string | null
}

export interface BranchConversion extends Converted {
  stepId: string
  /** The position of the branch, from 0, or `else`, `received` or `timedOut`. */
  branch: string
}

const REACHED = `status = 'GOAL_REACHED' and ended_at <= enrolled_at + make_interval(days => $2::integer)`
const IS_COUNTED = `enrolled_at <= now() - make_interval(days => $2::integer)`

const CONVERTED = `count(*)::float8 as enrolled, count(*) filter (where ${IS_COUNTED})::float8 as counted,
  count(*) filter (where ${IS_COUNTED} and ${REACHED})::float8 as reached`

/** The number of weeks whose enrollments are older than the window. */
const COUNTED_WEEKS = 26

/** Reads the conversion of the enrollments of each of the last weeks, the oldest first. */
export async function conversionByWeek(em: EntityManager, period: ConversionPeriod): Promise<WeekConversion[]> {
  const rows = await sql(
    em,
    `select to_char(date_trunc('week', enrolled_at at time zone 'UTC'), 'YYYY-MM-DD') as week, ${CONVERTED},
       count(*) filter (where ${REACHED})::float8 as reached_so_far
     from enrollments where automation_id = $1::uuid
       and enrolled_at >= date_trunc('week', now() - make_interval(days => $2::integer, weeks => ${COUNTED_WEEKS}), 'UTC')
     group by 1 order by 1`,
    [period.automationId, period.windowDays],
  )
  return toObjects<WeekConversion>(rows)
}

/** Reads the conversion of the enrollments that entered on each version, the newest first. */
export async function conversionByVersion(em: EntityManager, period: ConversionPeriod): Promise<VersionConversion[]> {
  const rows = await sql(
    em,
    // The audit entry of a version was written in the same transaction, so it has the same time.
    `select of_version.*, version.created_at as published_at, (
       select actor_name from audit_entries entry where entry.workspace_id = automation.workspace_id
         and entry.created_at = version.created_at and entry.target_id = automation.id limit 1
     ) as published_by
     from (select version, ${CONVERTED} from enrollments where automation_id = $1::uuid group by version) of_version
     join automation_versions version on version.automation_id = $1::uuid and version.version = of_version.version
     join automations automation on automation.id = $1::uuid
     order by version.version desc`,
    [period.automationId, period.windowDays],
  )
  return toObjects<VersionConversion>(rows, 'publishedAt')
}

/** Reads the conversion of the enrollments that took each branch, as long as the runs of their steps are stored. */
export async function conversionByBranch(em: EntityManager, period: ConversionPeriod): Promise<BranchConversion[]> {
  const rows = await sql(
    em,
    `select step_id, result ->> 'branch' as branch, ${CONVERTED}
     from step_runs join enrollments on enrollments.id = enrollment_id
     where step_runs.automation_id = $1::uuid and result ? 'branch'
     group by 1, 2 order by 1, 2`,
    [period.automationId, period.windowDays],
  )
  return toObjects<BranchConversion>(rows)
}

/** Reads after how many days counted enrollments reached the goal. Day 1 is the first 24 hours. */
export async function daysToGoal(
  em: EntityManager,
  { automationId, windowDays }: ConversionPeriod,
): Promise<{ day: number; reached: number }[]> {
  return sql(
    em,
    `select least(floor(extract(epoch from ended_at - enrolled_at) / 86400)::integer + 1, $2::integer) as day, count(*)::float8 as reached
     from enrollments where automation_id = $1::uuid and ${IS_COUNTED} and ${REACHED}
     group by 1 order by 1`,
    [automationId, windowDays],
  )
}

/** Reads the median time to the goal of counted enrollments, in minutes; `null` if none reached it. */
export async function medianToGoal(
  em: EntityManager,
  { automationId, windowDays }: ConversionPeriod,
): Promise<number | null> {
  const [row] = await sql<{ minutes: number | null }>(
    em,
    `select percentile_cont(0.5) within group (order by extract(epoch from ended_at - enrolled_at) / 60) as minutes
     from enrollments where automation_id = $1::uuid and ${IS_COUNTED} and ${REACHED}`,
    [automationId, windowDays],
  )
  return row?.minutes ?? null
}
