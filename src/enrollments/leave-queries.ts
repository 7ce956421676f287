import type { EnrollmentStatus } from '../automation-engine/index.ts'
import type { EventOrCondition, ExitRule } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import { conditionSql, type ResolvedCondition } from '../segments/index.ts'
import { CHANGED, countChanges, type EnrollmentChange, NOWHERE, recordChanges } from './changes-queries.ts'
import { listIdOfTrigger } from '../triggers/index.ts'
import type { KeyedEnrollment } from './entry-rules.ts'
import type { LeaveRule } from './leave-rules.ts'

/** An active enrollment whose version waits for an event. */
export interface AwaitingEnrollment extends KeyedEnrollment {
  id: string
  automationId: string
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
}

/** Reads the active enrollments of a contact whose versions wait for an event. @param eventKey see `eventKeyOf` */
export async function awaitingEnrollments(
  em: EntityManager,
  contactId: string,
  eventKey: string,
): Promise<AwaitingEnrollment[]> {
  const rows = await preparedSql(em, 'awaiting-enrollments', AWAITING, [contactId, eventKey])
  return toObjects<AwaitingEnrollment>(rows)
}

const AWAITING = `
select enrollment.id, enrollment.automation_id, enrollment.concurrency_key, enrollment.key_path,
  version.exit_on, version.goal
from enrollments enrollment
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
where enrollment.contact_id = $1::uuid and enrollment.status = 'ACTIVE' and $2 = any(version.event_keys)
order by enrollment.id`

/** An opt-out of a contact: from all marketing, or from the list. */
export interface OptOut {
  contactId: string
  listId: string | null
}

/** An active enrollment whose version has the exit rule `unsubscribed`. */
export interface UnsubscribedEnrollment {
  id: string
  workspaceId: string
  automationId: string
  contactId: string
  concurrencyKey: string
}

/** Reads the active enrollments that opt-outs end: of a list, those that joining it started. */
export async function unsubscribedEnrollments(
  em: EntityManager,
  optOuts: readonly OptOut[],
): Promise<UnsubscribedEnrollment[]> {
  const rows = await sql(em, UNSUBSCRIBED, [
    optOuts.map(({ contactId }) => contactId),
    optOuts.map(({ listId }) => listId),
  ])
  return toObjects<UnsubscribedEnrollment>(rows)
}

const UNSUBSCRIBED = `
select distinct enrollment.id, enrollment.workspace_id, enrollment.automation_id, enrollment.contact_id, enrollment.concurrency_key
from unnest($1::uuid[], $2::uuid[]) as opt_out(contact_id, list_id)
join enrollments enrollment on enrollment.contact_id = opt_out.contact_id and enrollment.status = 'ACTIVE'
join automations automation on automation.id = enrollment.automation_id
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
where version.exit_on @> '[{"event": "unsubscribed"}]'
  and (opt_out.list_id is null or opt_out.list_id::text = ${listIdOfTrigger('LIST_ADDED')})
order by enrollment.id`

/** Ends an active enrollment by a rule, and counts it. The caller has a transaction. @returns whether it was active */
export async function endByRule(
  em: EntityManager,
  enrollmentId: string,
  { status, rule }: LeaveRule,
): Promise<boolean> {
  const ended = await preparedSql<EnrollmentChange>(
    em,
    'end-by-rule',
    `update enrollments set status = $2, ended_at = clock_timestamp(), ended_by = $3::jsonb, ${NOWHERE}
     where id = $1::uuid and status = 'ACTIVE' returning ${CHANGED}`,
    [enrollmentId, status, JSON.stringify(rule)],
  )
  await recordChanges(em, ended)
  await countChanges(em, ended)
  return ended.length > 0
}

/** Returns the status of an enrollment; `undefined` if it is not recorded. */
export async function statusOf(em: EntityManager, enrollmentId: string): Promise<EnrollmentStatus | undefined> {
  const [row] = await sql<{ status: EnrollmentStatus }>(em, 'select status from enrollments where id = $1::uuid', [
    enrollmentId,
  ])
  return row?.status
}

/** An event of a contact that arrived since an enrollment began. */
export interface EarlierEvent {
  id: string
  automationId: string
  eventKey: string
  data: unknown
  at: Date
}

/** Reads the contact's events for which an enrollment's version waits, since it began, without the one that started it. */
export async function eventsSinceEntry(em: EntityManager, enrollmentId: string): Promise<EarlierEvent[]> {
  const rows = await sql(
    em,
    `select event.id, enrollment.automation_id, md5(event.name_key) as event_key, event.data, event.created_at as at
     from enrollments enrollment
     join automation_versions version
       on version.automation_id = enrollment.automation_id and version.version = enrollment.version
     join trigger_events event on event.contact_id = enrollment.contact_id and event.type = 'EVENT'
       and md5(event.name_key) = any(version.event_keys)
       and enrollment.dedup_key is distinct from 'event:' || event.id
       and event.created_at >= least(enrollment.enrolled_at, (
         select created_at from trigger_events cause where enrollment.dedup_key = 'event:' || cause.id and cause.id = case
           when enrollment.dedup_key like 'event:%' then substr(enrollment.dedup_key, 7)::uuid end
       ))
     where enrollment.id = $1::uuid and cardinality(version.event_keys) > 0
     order by event.created_at limit 100`,
    [enrollmentId],
  )
  return toObjects<EarlierEvent>(rows, 'at')
}

/** A version that has active enrollments, and a goal or exit rules that are conditions. */
export interface VersionWithConditions {
  workspaceId: string
  automationId: string
  version: number
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
}

export async function versionsWithConditions(em: EntityManager): Promise<VersionWithConditions[]> {
  const rows = await sql(
    em,
    `select automation.workspace_id, version.automation_id, version.version, version.exit_on, version.goal
     from automation_versions version
     join automations automation on automation.id = version.automation_id and automation.deleted_at is null
     where (version.goal ? 'condition' or jsonb_path_exists(version.exit_on, '$[*].condition'))
       and exists (
         select from enrollments
         where enrollments.automation_id = version.automation_id and enrollments.version = version.version
           and status = 'ACTIVE'
       )
     order by version.automation_id, version.version`,
  )
  return toObjects<VersionWithConditions>(rows)
}

/**
 * Finds active enrollments of a version for which a condition is true.
 *
 * @returns each with the index of the first condition that is true
 */
export async function enrollmentsToLeave(
  em: EntityManager,
  { workspaceId, automationId, version }: VersionWithConditions,
  conditions: readonly ResolvedCondition[],
  { at, limit }: { at: Date; limit: number },
): Promise<{ id: string; contactId: string; concurrencyKey: string; rule: number }[]> {
  const parameters: unknown[] = [automationId, version, limit]
  const each = conditions.map((condition) =>
    conditionSql(condition, parameters, {
      workspaceId,
      at,
      eventData: { column: "(enrollment.event -> 'data')" },
      stepData: { column: 'saved.step_data' },
    }),
  )
  const rows = await sql(
    em,
    `select enrollment.id, enrollment.contact_id, enrollment.concurrency_key,
       array_position(array[${each.join(', ')}]::boolean[], true) - 1 as rule
     from enrollments enrollment
     join contacts contact on contact.id = enrollment.contact_id
     cross join lateral (
       select coalesce(jsonb_object_agg(save_as, output), '{}') as step_data from step_runs
       where enrollment_id = enrollment.id and save_as is not null and finished_at is not null
     ) saved
     where enrollment.automation_id = $1::uuid and enrollment.version = $2::integer and enrollment.status = 'ACTIVE'
       and (${each.join(' or ')})
     order by enrollment.id limit $3`,
    parameters,
  )
  return toObjects<{ id: string; contactId: string; concurrencyKey: string; rule: number }>(rows)
}
