import { DOMAIN_COLUMNS, NO_STEP, variantStep, variantStepSql } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { DayResults, ResultCounts } from '../messages/index.ts'
import { SENDING_STATUSES } from '../automation-engine/index.ts'
import { JUDGED_DAYS } from '../reputation/index.ts'
import { sql, toObjects } from '../platform/db/sql.ts'

/**
 * Numbers of rows by kind: messages by status, enrollments by status, PAUSED and WAITING enrollments, and contacts who PASSED a step
 * that is not an email, or `PASSED else` if they took its branch `else`; and
 * `REFUSED FILTER` for entries that a rule refused.
 */
export type Counts = Record<string, number>

/** SQL: the step before which an enrollment waits, as the index has it. */
const NEXT_STEP = `coalesce(next_step_id, '${NO_STEP}')`

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

/** SQL: whether a counter is shown. The mark of a paused enrollment stays after its automation resumes, until it sends again. */
const IS_SHOWN = `(counter <> 'PAUSED' or exists (
  select from automations where id = automation_id and status not in ${SENDING_STATUSES}))`

const STEPS = `
select automation_id, step_id, jsonb_object_agg(counter, count) as counts from (
  select automation_id, step_id, counter, sum(count) as count from (
    select automation_id, step_id, counter, count from step_counters where automation_id = any($1::uuid[])
    union all
    select automation_id, step_id, counter, change from counter_changes where automation_id = any($1::uuid[])
  ) changes
  group by 1, 2, 3 having sum(count) <> 0
) counters
where ${IS_SHOWN}
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

/** The counters by which a reputation is judged. */
const JUDGED = ['SENT', 'FAILED', 'HARD_BOUNCED', 'BLOCKED', 'COMPLAINED']

/** Sums the counters of automations over the days by which their reputation is judged. */
export async function recentCounts(em: EntityManager, automationIds: readonly string[]): Promise<Map<string, Counts>> {
  const days = { from: new Date(Date.now() - JUDGED_DAYS * 86_400_000), until: new Date(Date.now() + 60_000) }
  // One interval, which is longer than these days.
  const minutes = (JUDGED_DAYS + 1) * 24 * 60
  const sums = await flowCounts(em, { subjects: automationIds, counters: JUDGED, ...days, minutes })
  return new Map(sums.map(({ subject, counts }) => [subject, counts]))
}

/** Sums the counters of all existing automations of a workspace. */
export async function totalCounts(em: EntityManager, workspaceId: string): Promise<Counts> {
  const [row] = await sql<{ counts: Counts | null }>(em, TOTAL, [workspaceId])
  return row?.counts ?? {}
}

const TOTAL = `
with own as (select id from automations where workspace_id = $1::uuid and deleted_at is null)
select jsonb_object_agg(counter, count) as counts from (
  select counter, sum(count) as count from (
    select counter, count from step_counters join own on own.id = automation_id where ${IS_SHOWN}
    union all
    select counter, change from counter_changes join own on own.id = automation_id where ${IS_SHOWN}
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

/** Number of enrollments whose next step is due, by automation and step, and when the next one of each is due. */
export interface Due {
  automationId: string
  stepId: string
  /** `MAX_DUE` means `MAX_DUE` or more. */
  due: number
  nextWakeAt: Date | null
}

/** @param steps the steps for which enrollments wait */
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
    select from enrollments
    where enrollments.automation_id = wanted.automation_id and ${NEXT_STEP} = wanted.step_id
      and status = 'ACTIVE' and wakes_at <= now() limit $3::integer
  ) those
) due
cross join lateral (
  select min(wakes_at) as next_wake_at from enrollments
  where enrollments.automation_id = wanted.automation_id and ${NEXT_STEP} = wanted.step_id
    and status = 'ACTIVE' and wakes_at > now()
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
         select from enrollments where workspace_id = $1::uuid and status = 'ACTIVE' and wakes_at <= now() limit $2::integer
       ) those) as due,
       (select min(wakes_at) from enrollments
        where workspace_id = $1::uuid and status = 'ACTIVE' and wakes_at > now()) as next_wake_at`,
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

/** The numbers of a receiving domain. */
export interface DomainResults {
  domain: string
  counts: ResultCounts
}

/** The period of a report on domains: days, up to the current one (UTC). */
interface Period {
  workspaceId: string
  days: number
}

const COUNTS = `jsonb_build_object(${DOMAIN_COLUMNS.map((column) => `'${column.toUpperCase()}', sum(${column})::float8`).join(', ')})`
const FIRST_DAY = `(now() at time zone 'UTC')::date - ($2::integer - 1)`

/**
 * Reads the domains to which most messages were sent. Looks at the largest domains of each day only, so that the cost does not depend
 * on the number of domains: a domain that is never among them is left out. Changes of the last second may be missing.
 */
export const largestDomains = (
  em: EntityManager,
  { workspaceId, days }: Period,
  limit: number,
): Promise<DomainResults[]> => sql<DomainResults>(em, LARGEST, [workspaceId, days, limit])

const LARGEST = `
with largest as materialized (
  select distinct domain
  from generate_series(${FIRST_DAY}, (now() at time zone 'UTC')::date, interval '1 day') as at(day)
  cross join lateral (
    select domain from domain_days
    where workspace_id = $1::uuid and day = at.day::date and domain <> '' order by sent desc limit $3::integer
  ) top
)
-- One look-up for each domain: Postgres might join all domains of the workspace instead.
select domain, counts from largest
cross join lateral (
  select sum(sent) as sent, ${COUNTS} as counts from domain_days
  where workspace_id = $1::uuid and domain_days.domain = largest.domain and day >= ${FIRST_DAY}
) summed
order by sent desc, domain limit $3::integer`

/** Reads the numbers of one domain by day, or of all of them: `''`. */
export const domainByDay = (em: EntityManager, { workspaceId, days }: Period, domain: string): Promise<DayResults[]> =>
  sql<DayResults>(em, OF_DOMAIN, [workspaceId, days, domain])

const OF_DOMAIN = `
select to_char(day, 'YYYY-MM-DD') as date, ${COUNTS} as counts from domain_days
where workspace_id = $1::uuid and domain = $3 and day >= ${FIRST_DAY}
group by day order by day`

/** A campaign, a variant of it or a step that uses a template, and its numbers. */
export interface TemplateUse {
  campaignId: string | null
  automationId: string | null
  /** The step; for a campaign, the number of the variant plus one. */
  stepId: string
  name: string
  counts: ResultCounts
}

/** Reads the numbers of the campaigns and of the current steps that use a template, the newest first. */
export async function usesOfTemplate(
  em: EntityManager,
  workspaceId: string,
  templateId: string,
): Promise<TemplateUse[]> {
  return toObjects<TemplateUse>(await sql(em, TEMPLATE_USES, [workspaceId, templateId]))
}

const TEMPLATE_USES = `
with used as (
  select campaign.id as campaign_id, null::uuid as automation_id, variant.step_id, campaign.name, campaign.created_at
  from campaigns campaign cross join lateral (
    select case when campaign.ab_test is null then '${NO_STEP}' else '${variantStep(0)}' end::uuid as step_id,
      campaign.template_id
    union all
    select ${variantStepSql('place')},
      coalesce((variant ->> 'templateId')::uuid, campaign.template_id)
    from jsonb_array_elements(campaign.ab_test -> 'variants') with ordinality as each_variant(variant, place)
  ) variant
  where campaign.workspace_id = $1::uuid and variant.template_id = $2::uuid
  union all
  select null, automation.id, (step ->> 'id')::uuid, automation.name, automation.created_at
  from automations automation
  join automation_versions current on current.automation_id = automation.id and current.version = automation.version
  cross join lateral jsonb_array_elements(current.steps) step
  where automation.workspace_id = $1::uuid and automation.deleted_at is null and step -> 'template' ->> 'id' = $2::uuid::text
)
select campaign_id, automation_id, step_id, name, coalesce(counted.counts, '{}') as counts
from used left join lateral (
  select jsonb_object_agg(counter, count) as counts from (
    select counter, sum(count)::float8 as count from (
      select counter, count from step_counters
      where automation_id = coalesce(used.campaign_id, used.automation_id) and step_id = used.step_id
      union all
      select counter, change from counter_changes
      where automation_id = coalesce(used.campaign_id, used.automation_id) and step_id = used.step_id
    ) changes
    group by counter
  ) counters
) counted on true
order by created_at desc, step_id`
