import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'

/** Numbers of rows by kind: messages by status, enrollments by status, and PAUSED and WAITING enrollments. */
export type Counts = Record<string, number>

/** Stands for no step: the enrollment as a whole, or, for WAITING enrollments, the end of the sequence. */
export const NO_STEP = '00000000-0000-0000-0000-000000000000'

/** Counters of a step of an automation. */
export interface StepCounts {
  automationId: string
  stepId: string
  counts: Counts
}

/**
 * Reads the counters of automations, including changes that have not been added up yet. The caller has checked access to the
 * automations.
 */
export async function stepCounts(em: EntityManager, automationIds: readonly string[]): Promise<StepCounts[]> {
  return toObjects<StepCounts>(await sql(em, STEPS, [automationIds]))
}

const STEPS = `
select automation_id, step_id, jsonb_object_agg(counter, count) as counts from (
  select automation_id, step_id, counter, sum(count) as count from (
    select automation_id, step_id, counter, count from step_counters where automation_id = any($1::uuid[])
    union all
    select automation_id, step_id, counter, change from counter_changes where automation_id = any($1::uuid[])
  ) changes
  group by 1, 2, 3 having sum(count) <> 0
) counters
group by 1, 2`

/** Counters of an interval of time. */
export interface FlowCounts {
  subject: string
  at: Date
  counts: Counts
}

export interface FlowRequest {
  /** A workspace, or automations: see `migrations/001-baseline.sql`. */
  subjects: readonly string[]
  counters: readonly string[]
  /**
   * Start of the first interval. Intervals are equally long, in minutes: multiples of 15 for a workspace, of 60 for an
   * automation.
   */
  from: Date
  minutes: number
  until: Date
}

/** Reads the counters of each interval. Intervals without any are left out. */
export async function flowCounts(
  em: EntityManager,
  { subjects, counters, from, minutes, until }: FlowRequest,
): Promise<FlowCounts[]> {
  const rows = await sql(em, FLOW, [subjects, counters, from.toISOString(), until.toISOString(), minutes])
  return toObjects<FlowCounts>(rows, 'at')
}

const FLOW = `
select subject, at, jsonb_object_agg(counter, count) as counts from (
  select subject, counter, date_bin(make_interval(mins => $5::integer), at, $3::timestamptz) as at, sum(count) as count from (
    select subject, counter, at, count from flow_counters
    where subject = any($1::uuid[]) and counter = any($2::text[]) and at >= $3::timestamptz and at < $4::timestamptz
    union all
    select subject, counter, at, change from counter_changes
    cross join lateral (values (workspace_id), (automation_id)) of_subject(subject)
    where subject = any($1::uuid[]) and counter = any($2::text[]) and at >= $3::timestamptz and at < $4::timestamptz
  ) changes
  group by 1, 2, 3 having sum(count) <> 0
) counters
group by 1, 2 order by 1, 2`

/** Sums the counters of all existing automations of a workspace. */
export async function totalCounts(em: EntityManager, workspaceId: string): Promise<Counts> {
  const [row] = await sql<{ counts: Counts | null }>(em, TOTAL, [workspaceId])
  return row?.counts ?? {}
}

const TOTAL = `
with own as (select id from automations where workspace_id = $1::uuid and deleted_at is null)
select jsonb_object_agg(counter, count) as counts from (
  select counter, sum(count) as count from (
    select counter, count from step_counters join own on own.id = automation_id
    union all
    select counter, change from counter_changes join own on own.id = automation_id
  ) changes
  group by 1 having sum(count) <> 0
) counters`

/** Counts the messages that need a decision, including those of deleted automations, which are few. */
export async function countOpenMessages(
  em: EntityManager,
  workspaceId: string,
): Promise<{ sending: number; deferred: number; unconfirmed: number }> {
  const rows = await sql<{ status: string; count: number }>(
    em,
    `select status, count(*)::float8 as count from messages
     where workspace_id = $1::uuid and status in ('SENDING', 'DEFERRED', 'UNCONFIRMED') group by status`,
    [workspaceId],
  )
  const counts = new Map(rows.map(({ status, count }) => [status, count]))
  return {
    sending: counts.get('SENDING') ?? 0,
    deferred: counts.get('DEFERRED') ?? 0,
    unconfirmed: counts.get('UNCONFIRMED') ?? 0,
  }
}

/** Maximum count: a paused automation can have a million. */
export const MAX_DUE = 10_000

/** Number of enrollments whose next email is due, by automation and email, and when the next one of each is due. */
export interface Due {
  automationId: string
  stepId: string
  /** `MAX_DUE` means `MAX_DUE` or more. */
  due: number
  nextWakeAt: Date | null
}

/** @param steps the emails for which enrollments wait */
export async function dueOf(
  em: EntityManager,
  steps: readonly { automationId: string; stepId: string }[],
): Promise<Due[]> {
  const rows = await sql(em, DUE, [
    steps.map(({ automationId }) => automationId),
    steps.map(({ stepId }) => stepId),
    MAX_DUE,
  ])
  return toObjects<Due>(rows, 'nextWakeAt')
}

const DUE = `
select automation_id, step_id, due, next_wake_at
from unnest($1::uuid[], $2::uuid[]) as wanted(automation_id, step_id)
cross join lateral (
  select count(*)::integer as due from (
    select from next_wakes wake
    where wake.automation_id = wanted.automation_id and wake.email_id = wanted.step_id and wakes_at <= now() limit $3::integer
  ) those
) due
cross join lateral (
  select min(wakes_at) as next_wake_at from next_wakes wake
  where wake.automation_id = wanted.automation_id and wake.email_id = wanted.step_id and wakes_at > now()
) next_one`

/** Like `dueOf`, for a workspace. */
export async function dueOfWorkspace(
  em: EntityManager,
  workspaceId: string,
): Promise<{ due: number; nextWakeAt: Date | null }> {
  const rows = await sql(
    em,
    `select
       (select count(*)::integer from (
         select from next_wakes where workspace_id = $1::uuid and wakes_at <= now() limit $2::integer
       ) those) as due,
       (select min(wakes_at) from next_wakes where workspace_id = $1::uuid and wakes_at > now()) as next_wake_at`,
    [workspaceId, MAX_DUE],
  )
  return toObjects<{ due: number; nextWakeAt: Date | null }>(rows, 'nextWakeAt')[0]!
}

/** Counts the enrollments that automations have had, including erased ones. */
export async function countsOf(em: EntityManager, automationIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql<{ automation_id: string; enrolled: number }>(
    em,
    `select automation_id, enrolled from automation_counts where automation_id = any($1::uuid[])`,
    [automationIds],
  )
  return new Map(rows.map(({ automation_id, enrolled }) => [automation_id, enrolled]))
}

/** Filters the automations that belong to a workspace, in their order. */
export async function ownAutomations(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from automations where id = any($2::uuid[]) and workspace_id = $1::uuid and deleted_at is null`,
    [workspaceId, ids],
  )
  const own = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => own.has(id))
}

/** Global lock for adding up changes: two concurrent calls would otherwise wait for each other row by row. */
const LOCK = `hashtextextended('fold counters', 0)`

/**
 * Adds changes to the counters: see `migrations/001-baseline.sql`, whose triggers write them. Readers also sum the changes that
 * have not been added yet, so they never see outdated numbers.
 *
 * @returns the number of changes added
 */
export async function foldStats(em: EntityManager, limit: number): Promise<number> {
  const [row] = await preparedSql<{ folded: number }>(em, 'fold-counters', FOLD, [limit])
  return row?.folded ?? 0
}

const FOLD = `
with turn as materialized (select pg_try_advisory_xact_lock(${LOCK}) as mine),
gone as (
  delete from counter_changes
  where (select mine from turn)
    and id = any (array(select id from counter_changes order by id limit $1::integer for update skip locked))
  returning workspace_id, automation_id, step_id, at, counter, change
),
by_step as (
  insert into step_counters as kept (automation_id, step_id, counter, count)
  select automation_id, step_id, counter, sum(change) from gone
  group by 1, 2, 3 having sum(change) <> 0
  on conflict (automation_id, step_id, counter) do update set count = kept.count + excluded.count
),
flowed as (
  insert into flow_counters as kept (subject, counter, at, count)
  select subject, counter, at, sum(change) from (
    select workspace_id as subject, counter, at, change from gone
    union all
    select automation_id, counter, date_trunc('hour', at, 'UTC'), change from gone where counter not in ('WAITING', 'PAUSED')
  ) changes
  group by 1, 2, 3 having sum(change) <> 0
  on conflict (subject, counter, at) do update set count = kept.count + excluded.count
)
select count(*)::integer as folded from gone`
