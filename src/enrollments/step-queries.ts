import { localeFallbacksSql } from '../platform/locale.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import type { EmailContent, TemplateVariables } from '../rendering/index.ts'
import {
  type AutomationStatus,
  type EmailCategory,
  type EnrollmentStatus,
  type SendFailurePolicy,
  type StoredStep,
  TIMED_OUT,
} from '../automation-engine/index.ts'
import type { EventOrCondition, ExitRule } from '../automations/index.ts'
import type { Trigger } from '../triggers/index.ts'
import { CHANGED, countChanges, type EnrollmentChange } from './changes-queries.ts'
import type { FinishedStep } from './due-time.ts'
import type { MovedTo } from './moved-to.ts'

/** An email step of an enrollment, with everything that decides whether it is sent. */
export interface EmailStep {
  workspaceId: string
  automationId: string
  contactId: string
  version: number
  enrollmentStatus: EnrollmentStatus
  automationStatus: AutomationStatus
  onSendFailure: SendFailurePolicy
  /** The trigger that started the enrollment. */
  trigger: Trigger
  triggerKey: string | null
  event: NonNullable<TemplateVariables['event']> | null
  /** How often the enrollment has been paused so far. */
  pauseCount: number
  category: EmailCategory
  /** In the contact's language; `null` if the version has no such step. */
  content: EmailContent | null
  /** The pending request to confirm a list, if the step asks for confirmation. */
  confirmationId: string | null
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
  /** The data that earlier steps saved, by name. */
  stepData: Record<string, unknown>
}

/** Reads a step. @returns `undefined` if the enrollment, its automation or its contact is deleted */
export async function readEmailStep(
  em: EntityManager,
  enrollmentId: string,
  stepId: string,
): Promise<EmailStep | undefined> {
  const rows = await preparedSql(em, 'read-email-step', STEP, [enrollmentId, stepId])
  const [row] = toObjects<Omit<EmailStep, 'category' | 'content'> & StepContent>(rows)
  if (!row) return undefined
  const { category, subject, html, text, ...step } = row
  const content = subject === null ? null : { subject, html, text }
  return { ...step, category: category ?? 'marketing', content }
}

interface StepContent {
  category: EmailCategory | null
  subject: string | null
  html: string | null
  text: string | null
}

/** Content in the contact's language (`de-CH`, or else `de`), or else the step's own. */
const STEP = `
select enrollment.workspace_id, enrollment.automation_id, enrollment.contact_id, enrollment.version, enrollment.status as enrollment_status,
  automation.status as automation_status, automation.on_send_failure, begun_by.trigger, begun_by.trigger_key,
  enrollment.event, enrollment.pause_count as "pauseCount", step.category, content.subject, content.html, content.text,
  version.exit_on, version.goal, coalesce((
    select jsonb_object_agg(save_as, output order by finished_at) from step_runs
    where enrollment_id = enrollment.id and save_as is not null and finished_at is not null
  ), '{}') as step_data,
  (select id from confirmation_requests request
   where begun_by.trigger = 'LIST_REQUESTED' and request.contact_id = contact.id
     and request.list_id::text = begun_by.trigger_key and request.email_key = contact.email_key) as confirmation_id
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join contacts contact on contact.id = enrollment.contact_id
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
cross join lateral (
  select coalesce(enrollment.trigger, automation.trigger) as trigger,
    case when enrollment.trigger is null then automation.trigger_key else enrollment.trigger_key end as trigger_key
) begun_by
left join lateral (
  select step ->> 'content' as hash, step ->> 'category' as category
  from jsonb_array_elements(version.steps) step where step ->> 'id' = $2::uuid::text
) step on true
left join email_contents own on own.automation_id = enrollment.automation_id and own.hash = step.hash
cross join lateral (select lower(replace(contact.metadata ->> 'locale', '_', '-')) as locale) wanted
left join email_contents content on content.automation_id = enrollment.automation_id
  and content.hash = coalesce((
    select own.translations ->> each from unnest(${localeFallbacksSql('locale')}) with ordinality as fallback(each, place)
    where own.translations ? each order by place limit 1
  ), own.hash)
where enrollment.id = $1::uuid`

/** A locked enrollment, as a claim compares it. */
export interface LockedEnrollment {
  status: EnrollmentStatus
  paused: boolean
  pauseCount: number
}

/**
 * Locks enrollments until the transaction ends, in the order of their IDs. A statement that ends or pauses one either waits or
 * has already committed.
 */
export async function lockEnrollments(
  em: EntityManager,
  ids: readonly string[],
): Promise<Map<string, LockedEnrollment>> {
  const rows = await preparedSql<LockedEnrollment & { id: string }>(
    em,
    'lock-enrollments',
    'select id, status, paused, pause_count as "pauseCount" from enrollments where id = any($1::uuid[]) order by id for no key update',
    [ids],
  )
  return new Map(rows.map(({ id, ...enrollment }) => [id, enrollment]))
}

/** Marks enrollments as no longer paused. The caller has locked them. */
export async function unpauseEnrollments(em: EntityManager, ids: readonly string[]): Promise<void> {
  const unpaused = await preparedSql<EnrollmentChange>(
    em,
    'release-enrollments',
    `update enrollments set paused = false where id = any($1::uuid[]) and paused returning ${CHANGED}`,
    [ids],
  )
  await countChanges(em, unpaused)
}

/** Marks an active enrollment as paused. The caller has a transaction. @returns whether it is active */
export async function pauseActive(em: EntityManager, id: string): Promise<boolean> {
  const paused = await preparedSql<EnrollmentChange>(
    em,
    'hold-enrollment',
    `update enrollments set paused = true, pause_count = pause_count + 1 where id = $1::uuid and status = 'ACTIVE'
     returning ${CHANGED}`,
    [id],
  )
  await countChanges(em, paused)
  return paused.length > 0
}

/** Data from which a step's due time is computed. */
export interface Timeline {
  enrolledAt: Date
  /** When the event that started the enrollment occurred, if it was an event. */
  eventAt: Date | null
  steps: readonly StoredStep[]
  movedTo: MovedTo | null
  /** The steps without an email that have a result, as far as a restore left them. */
  passed: readonly FinishedStep[]
}

export async function readTimeline(em: EntityManager, enrollmentId: string): Promise<Timeline | undefined> {
  const rows = await sql(
    em,
    `select enrollment.enrolled_at, enrollment.moved_to, version.steps, (
       select created_at from trigger_events event where enrollment.dedup_key = 'event:' || event.id and event.id = case
         when enrollment.dedup_key like 'event:%' then substr(enrollment.dedup_key, 7)::uuid end
     ) as event_at
     from enrollments enrollment
     join automation_versions version
       on version.automation_id = enrollment.automation_id and version.version = enrollment.version
     where enrollment.id = $1::uuid`,
    [enrollmentId],
  )
  const [timeline] = toObjects<Omit<Timeline, 'passed'>>(rows, 'enrolledAt', 'eventAt')
  if (!timeline) return undefined
  const runs = await sql(em, FINISHED_RUNS, [enrollmentId])
  return { ...timeline, passed: toObjects<FinishedStep>(runs, 'since', 'at') }
}

/**
 * The runs that a restored database had. One that began after the restore proves nothing: the original ran the same step before, and
 * sent the email after it. One that ended after the restore proves only what it waited for, and that it began, unless an event ended it
 * that arrived after the backup.
 */
const FINISHED_RUNS = `
select step_id, case when is_old then finished_at else coalesce(new_event.arrived_at, started_at) end as since,
  case when result ->> 'next' = 'wait' then to_timestamp((result ->> 'until')::float8 / 1000)
    when is_old then finished_at
    when result ->> 'branch' = '${TIMED_OUT}' then until
    else coalesce(event.created_at, started_at) end as at
from step_runs
cross join (select coalesce(max(backed_up_at), 'infinity') as backed_up_at from instance) instance
cross join lateral (select finished_at <= backed_up_at as is_old) age
left join trigger_events event on event.id::text = detail ->> 'eventId'
-- The original never had an event that arrived after the backup.
cross join lateral (select case when event.created_at > backed_up_at then event.created_at end as arrived_at) new_event
where enrollment_id = $1::uuid and finished_at is not null and (started_at <= backed_up_at or arrived_at is not null)`
