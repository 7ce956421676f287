import { type EndStatus, type EnrollmentStatus, type Heard, type StoredStep } from '../sequences/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { settlePutOff } from '../messages/index.ts'
import { cancelRow } from './active-queries.ts'
import { Enrollment } from './entities.ts'
import { AS_IT_IS, preparedSql, sql, unitOf } from '../platform/db/sql.ts'

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
  steps: StoredStep[]
}

/**
 * Writes an enrollment and counts it, once, however often and from wherever it is called: by the API after the
 * workflow's start, and by the workflow. It pins the automation's present version.
 *
 * Nothing is written when the automation or the contact is gone, when another enrollment has the same cause, when an
 * earlier one has heard the event that would start it, or when that event is forgotten: it is delivered again, or late.
 *
 * An older row that is still ACTIVE has lost its workflow (terminated by an operator, say): only one can run. Who has no
 * workflow to show for it takes nobody's place.
 *
 * @param supersedes whether it is its workflow that asks, so that no other enrollment's can be there
 * @returns the enrollment as recorded, or `undefined` where there is none to be.
 */
export async function recordEnrollment(
  em: EntityManager,
  write: EnrollmentWrite,
  { supersedes = true }: { supersedes?: boolean } = {},
): Promise<RecordedEnrollment | undefined> {
  const { id, automationId, contactId, cause, triggerEventId } = write
  const parameters = [id, automationId, contactId, cause, triggerEventId, write.enrolledAt.toISOString(), supersedes]
  for (let attempt = 1; ; attempt += 1) {
    const [written] = await preparedSql<RecordedRow>(em, 'record-enrollment', RECORD, parameters)
    // A second statement, because the first can't see a row that another caller wrote, before it or while it waited for it.
    const row = written ?? (await sql<RecordedRow>(em, READ, [id]))[0]
    if (row) return { status: row.status, automationName: row.name, steps: row.steps }
    if (!supersedes || attempt === MOST_ATTEMPTS) return undefined
    // Nor can it put out whom another one let in while it waited: asked again, it does.
    if ((await findActive(em, automationId, contactId)) === undefined) return undefined
  }
}

/**
 * Whether what begins by an event that the ledger does not know may be right all the same: the ledger was restored, and is older.
 * Until it is reconciled nobody can tell.
 */
export async function mayKnowLater(em: EntityManager, enrollmentId: string, eventId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from installation where restored_at is not null
       and not exists (select from trigger_events where id = $2::uuid)
       and not exists (select from enrollments where id = $1::uuid)`,
    [enrollmentId, eventId],
  )
  return rows.length > 0
}

/** Each beside another one that lets somebody in, in that very moment. */
const MOST_ATTEMPTS = 3

interface RecordedRow {
  status: EnrollmentStatus
  name: string
  steps: StoredStep[]
}

/** What an enroll call needs to know before it starts anything: the automation's name, and whether there is the contact. */
export interface Enrollable {
  automationName: string
  hasContact: boolean
  /** The enrollment in which the ledger has the contact. Only Temporal knows whether it runs. */
  activeId: string | null
}

/** Looks at an automation and a contact of a workspace. @returns `undefined` where that automation enrolls nobody. */
export async function findEnrollable(
  em: EntityManager,
  workspaceId: string,
  automationId: string,
  contactId: string | null,
): Promise<Enrollable | undefined> {
  const [row] = await preparedSql<{ name: string; has_contact: boolean; active_id: string | null }>(
    em,
    'find-enrollable',
    ENROLLABLE,
    [workspaceId, automationId, contactId],
  )
  return row && { automationName: row.name, hasContact: row.has_contact, activeId: row.active_id }
}

const ENROLLABLE = `
select automation.name,
  exists (select from contacts where id = $3::uuid and workspace_id = $1::uuid) as has_contact,
  (
    select id from enrollments where automation_id = $2::uuid and contact_id = $3::uuid and status = 'ACTIVE' limit 1
  ) as active_id
from automations automation
where automation.id = $2::uuid and automation.workspace_id = $1::uuid and automation.status = 'ACTIVE'
  and automation.deleted_at is null`

/** When an enrollment began, if it is recorded. */
export async function findEnrollment(em: EntityManager, id: string): Promise<{ enrolledAt: Date } | undefined> {
  return (await unitOf(em).findOne(Enrollment, { id }, AS_IT_IS)) ?? undefined
}

const TELLS_OF_WHAT = `(begun_by.name <> '' or begun_by.type = 'SIGNUP')`

const RECORD = `
with candidate as (
  select automation.workspace_id, automation.id as automation_id, contact.id as contact_id,
    -- What matched it was ACTIVE: never a version that was not.
    case when automation.status = 'ACTIVE' then automation.version
      else coalesce(automation.active_version, automation.version) end as version,
    case when begun_by.type = 'EVENT' then jsonb_build_object('name', begun_by.name, 'data', coalesce(begun_by.data, '{}')) end as event,
    -- By an event, what it was: the automation may listen for another one already. Old ones do not say of which list.
    case when ${TELLS_OF_WHAT} then begun_by.type else automation.trigger end as trigger,
    case when ${TELLS_OF_WHAT} then begun_by.name else automation.trigger_key end as trigger_key
  from automations automation
  left join trigger_events begun_by on begun_by.id = $5::uuid
  -- Locked as the foreign key would, which fails where somebody is erased meanwhile: so nobody is found.
  join (select id, workspace_id from contacts where id = $3::uuid for key share) contact
    on contact.workspace_id = automation.workspace_id
  where automation.id = $2::uuid and automation.deleted_at is null
    and ($5::uuid is null or begun_by.id is not null)
    -- Looked up behind the lock: whoever ends her meanwhile writes it there.
    and ($5::uuid is null or not has_heard($2::uuid, $3::uuid, $5::uuid))
    and not exists (select from enrollments where id = $1::uuid)
    and not exists (select from enrollments where automation_id = $2::uuid and cause = $4::text)
),
superseded as (
  update enrollments set status = 'CANCELLED', held = false, ended_at = now()
  where $7::boolean and automation_id = $2::uuid and contact_id = $3::uuid and status = 'ACTIVE' and id <> $1::uuid
    and exists (select from candidate)
  returning id
),
inserted as (
  insert into enrollments
    (id, workspace_id, automation_id, contact_id, version, cause, status, enrolled_at, event, trigger, trigger_key)
  select $1::uuid, workspace_id, automation_id, contact_id, version, $4::text, 'ACTIVE', $6::timestamptz, event, trigger, trigger_key
  from candidate
  -- Behind that, so that the one index of who is in has room; where somebody is in all the same, nobody else comes in.
  where (select count(*) from superseded) >= 0
  on conflict do nothing
  returning automation_id, version, status
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
 * Ends an enrollment, once, and counts it if it was completed. With it, what it has heard is kept: delivered again, those
 * events start nothing.
 *
 * @param entry what it was begun by. One that is cancelled before it was recorded is recorded as that: an attempt at it that
 *   comes late would else let it in, and put out whoever is in by then.
 */
export async function finishEnrollment(
  em: EntityManager,
  enrollmentId: string,
  status: EndStatus,
  heard: Heard,
  entry?: { cause: string | null; enrolledAt: Date },
): Promise<void> {
  await preparedSql(em, 'finish-enrollment', FINISH, [
    heard.automationId,
    heard.contactId,
    heard.eventIds,
    enrollmentId,
    status,
    entry?.cause ?? null,
    entry?.enrolledAt.toISOString() ?? null,
  ])
  if (status !== 'COMPLETED') await settlePutOff(em, enrollmentId)
  // What was being recorded in that very moment it could not see, and no workflow is left to end it.
  if (status === 'CANCELLED' && entry) await cancelRow(em, enrollmentId)
}

/** Keeps what an enrollment has heard so far. May be repeated. */
export async function rememberHeard(em: EntityManager, heard: Heard): Promise<void> {
  await preparedSql(em, 'remember-heard', `with ${HEARD} select`, [heard.automationId, heard.contactId, heard.eventIds])
}

const HEARD = `
heard as (
  insert into heard_events (automation_id, contact_id, event_id)
  select automation.id, $2::uuid, event.id
  from automations automation cross join trigger_events event
  where automation.id = $1::uuid and event.id = any($3::uuid[])
  on conflict do nothing
)`

const FINISH = `
with ${HEARD},
unrecorded as (
  insert into enrollments (id, workspace_id, automation_id, contact_id, version, cause, status, enrolled_at, ended_at)
  select $4::uuid, automation.workspace_id, automation.id, contact.id, coalesce(automation.active_version, automation.version),
    $6::text, 'CANCELLED', $7::timestamptz, clock_timestamp()
  from automations automation
  join (select id, workspace_id from contacts where id = $2::uuid for key share) contact
    on contact.workspace_id = automation.workspace_id
  where $5::text = 'CANCELLED' and $7::timestamptz is not null
    and automation.id = $1::uuid and automation.deleted_at is null
    and not exists (select from enrollments where id = $4::uuid)
  on conflict do nothing
),
ended as (
  update enrollments set status = $5::text, held = false, ended_at = clock_timestamp()
  where id = $4::uuid and status = 'ACTIVE'
  returning automation_id
)
update automation_counts set completed = completed + 1
where automation_id = (select automation_id from ended) and $5::text = 'COMPLETED'`

/**
 * Holds the line for one automation and contact until the transaction ends: for the rare call that has to decide itself
 * whether a contact enters, because the workflow that is there will not say.
 */
export async function lockEntrance(em: EntityManager, automationId: string, contactId: string): Promise<void> {
  await sql(em, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`enroll ${automationId} ${contactId}`])
}

/** The enrollment that the ledger has as running, if there is one. */
export async function findActive(
  em: EntityManager,
  automationId: string,
  contactId: string,
): Promise<string | undefined> {
  const row = await unitOf(em).findOne(Enrollment, { automationId, contactId, status: 'ACTIVE' }, AS_IT_IS)
  return row?.id
}
