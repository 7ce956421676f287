import type { EndStatus, EnrollmentStatus } from '../../domain/enrollment.ts'
import type { Step } from '../../domain/steps.ts'
import type { EntityManager } from '../orm.ts'
import { preparedSql, sql, toDate } from '../sql.ts'

export interface EnrollmentWrite {
  id: string
  automationId: string
  contactId: string
  /** What started it, unique per automation; `null` for an enroll call that can't be recognised again. */
  cause: string | null
  /** The trigger event among the causes. */
  triggerEventId: string | null
  enrolledAt: Date
}

export interface RecordedEnrollment {
  status: EnrollmentStatus
  automationName: string
  steps: Step[]
}

/**
 * Writes an enrollment and counts it, once, however often and from wherever it is called: by the API after the
 * workflow's start, and by the workflow. It pins the automation's present version.
 *
 * Nothing is written when the automation or the contact is gone, when another enrollment has the same cause, or
 * when the event that would start it happened during an enrollment of this contact that has ended since: such an
 * event was one of those that find the contact enrolled already, and only its delivery came late.
 *
 * An older row that is still ACTIVE has lost its workflow (terminated by an operator, say): only one can run.
 *
 * @returns the enrollment as recorded, or `undefined` where there is none to be.
 */
export async function recordEnrollment(
  em: EntityManager,
  write: EnrollmentWrite,
): Promise<RecordedEnrollment | undefined> {
  const [written] = await preparedSql<RecordedRow>(em, 'record-enrollment', RECORD, [
    write.id,
    write.automationId,
    write.contactId,
    write.cause,
    write.triggerEventId,
    write.enrolledAt.toISOString(),
  ])
  // A second statement, because the first can't see a row that another caller wrote, before it or while it waited for it.
  const row = written ?? (await sql<RecordedRow>(em, READ, [write.id]))[0]
  return row && { status: row.status, automationName: row.name, steps: row.steps }
}

interface RecordedRow {
  status: EnrollmentStatus
  name: string
  steps: Step[]
}

/** What an enroll call needs to know before it starts anything: the automation's name, and whether there is the contact. */
export interface Enrollable {
  automationName: string
  hasContact: boolean
  /** The ledger has the contact in it. Only Temporal knows whether that is still so. */
  active: boolean
}

/** Looks at an automation and a contact of a workspace. @returns `undefined` where that automation enrolls nobody. */
export async function findEnrollable(
  em: EntityManager,
  workspaceId: string,
  automationId: string,
  contactId: string | null,
): Promise<Enrollable | undefined> {
  const [row] = await preparedSql<{ name: string; has_contact: boolean; active: boolean }>(
    em,
    'find-enrollable',
    ENROLLABLE,
    [workspaceId, automationId, contactId],
  )
  return row && { automationName: row.name, hasContact: row.has_contact, active: row.active }
}

const ENROLLABLE = `
select automation.name,
  exists (select from contacts where id = $3::uuid and workspace_id = $1::uuid) as has_contact,
  exists (
    select from enrollments where automation_id = $2::uuid and contact_id = $3::uuid and status = 'ACTIVE'
  ) as active
from automations automation
where automation.id = $2::uuid and automation.workspace_id = $1::uuid and automation.status = 'ACTIVE'
  and automation.deleted_at is null`

/** When an enrollment began, if it is recorded. */
export async function findEnrollment(em: EntityManager, id: string): Promise<{ enrolledAt: Date } | undefined> {
  const [row] = await sql<{ enrolled_at: string }>(em, `select enrolled_at from enrollments where id = $1::uuid`, [id])
  return row && { enrolledAt: toDate(row.enrolled_at) }
}

const RECORD = `
with inserted as (
  insert into enrollments
    (id, workspace_id, automation_id, contact_id, version, cause, status, enrolled_at)
  select $1::uuid, automation.workspace_id, automation.id, contact.id, automation.version, $4::text, 'ACTIVE',
    $6::timestamptz
  from automations automation
  join contacts contact on contact.workspace_id = automation.workspace_id
  where automation.id = $2::uuid and automation.deleted_at is null and contact.id = $3::uuid
    and not exists (
      select from trigger_events event
      join enrollments earlier on earlier.automation_id = $2::uuid and earlier.contact_id = $3::uuid
      where event.id = $5::uuid and earlier.recorded_at <= event.created_at and event.created_at <= earlier.ended_at
    )
  on conflict do nothing
  returning automation_id, version, status
),
superseded as (
  update enrollments set status = 'CANCELLED', held = false, ended_at = now()
  where automation_id = $2::uuid and contact_id = $3::uuid and status = 'ACTIVE' and id <> $1::uuid
    and exists (select from inserted)
),
counted as (
  update automation_counts set enrolled = enrolled + 1
  where automation_id = $2::uuid and exists (select from inserted)
)
select inserted.status, automation.name, version.steps
from inserted
join automations automation on automation.id = inserted.automation_id
join automation_versions version
  on version.automation_id = inserted.automation_id and version.version = inserted.version`

const READ = `
select enrollment.status, automation.name, version.steps
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
where enrollment.id = $1::uuid`

/**
 * Ends an enrollment, once, and counts it if it was completed.
 *
 * @param seenEventIds the trigger events that the workflow has been told of.
 * @returns the first of those events that happened after the end: whoever fired it may have seen that the
 *   contact was through, so it has to start the automation anew.
 */
export async function finishEnrollment(
  em: EntityManager,
  enrollmentId: string,
  status: EndStatus,
  seenEventIds: readonly string[],
): Promise<string | undefined> {
  await preparedSql(em, 'finish-enrollment', FINISH, [enrollmentId, status])
  if (seenEventIds.length === 0) return undefined
  const [next] = await sql<{ id: string }>(em, LATER_EVENT, [enrollmentId, seenEventIds])
  return next?.id
}

const FINISH = `
with ended as (
  update enrollments set status = $2, held = false, ended_at = clock_timestamp()
  where id = $1::uuid and status = 'ACTIVE'
  returning automation_id
)
update automation_counts set completed = completed + 1
where automation_id = (select automation_id from ended) and $2 = 'COMPLETED'`

const LATER_EVENT = `
select event.id from trigger_events event
join enrollments enrollment on enrollment.id = $1::uuid
where event.id = any($2::uuid[]) and event.created_at > enrollment.ended_at
order by event.created_at limit 1`

/** Merges keys into a contact's metadata. @returns whether the workspace has that contact. */
export async function mergeMetadata(
  em: EntityManager,
  contactId: string,
  metadata: Record<string, unknown>,
  removedKeys: readonly string[],
): Promise<boolean> {
  const rows = await sql(
    em,
    `update contacts set metadata = (metadata || $2::jsonb) - $3::text[], updated_at = now()
     where id = $1::uuid returning id`,
    [contactId, JSON.stringify(metadata), removedKeys],
  )
  return rows.length > 0
}
