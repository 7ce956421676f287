import { readSendingGate } from '../instance/index.ts'
import { finishMessagesOf, SENDER_STOPPED_ERROR } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, pipelined, preparedSql, sql, unitOf, toObjects } from '../platform/db/sql.ts'
import {
  type AutomationStatus,
  type ContactInAutomation,
  type EndStatus,
  type EnrollmentStatus,
  firstStop,
  type Place,
  type StoredStep,
} from '../automation-engine/index.ts'
import type { TemplateVariables } from '../rendering/index.ts'
import type { Trigger } from '../triggers/index.ts'
import type { KeyedEnrollment } from './entry-rules.ts'
import { type EntryRules, type EventOrCondition, type ExitRule, versionSteps } from '../automations/index.ts'
import { CHANGED, countChanges, type EnrollmentChange, NOWHERE, recordChanges } from './changes-queries.ts'
import type { EndCause } from './end-cause.ts'
import { Enrollment } from './entities.ts'
import { lockEnrollments } from './step-queries.ts'

export interface EnrollmentWrite extends Place {
  id: string
  /** Deduplication key, unique per automation; `null` for an enroll call without an ID to recognize it by. */
  dedupKey: string | null
  /** The trigger event that started it, if any. */
  triggerEventId: string | null
  enrolledAt: Date
}

/** State that decides whether and how an enrollment is recorded. */
export interface RecordState {
  workspaceId: string
  automation: {
    status: AutomationStatus
    version: number
    activeVersion: number | null
    trigger: Trigger
    triggerKey: string | null
  }
  /** The event that starts it; `null` if the event was deleted, or no event starts it. */
  event: { type: Trigger; name: string; data: unknown; depth: number } | null
  hasContact: boolean
  /** Whether an earlier enrollment in the automation processed that event. */
  hasProcessed: boolean
  /** The status of this enrollment, if it is already recorded. */
  recorded: EnrollmentStatus | null
  /** Whether another enrollment in the automation has the same deduplication key. */
  isDedupKeyTaken: boolean
  /** The enrollment that is recorded as active, if it is a different one. */
  otherActiveId: string | null
  /** The automation's rule for entering again; `null` for none. */
  reentry: EntryRules['reentry'] | null
  /** The path of the automation's concurrency key in events; `null` for none. */
  keyPath: string | null
  /** When the contact last entered before, with the same concurrency key. */
  lastEnrolledAt: Date | null
}

/** Reads the state. The caller has locked the contact. @returns `undefined` if the automation is deleted */
export async function readRecordState(em: EntityManager, write: EnrollmentWrite): Promise<RecordState | undefined> {
  const { id, automationId, contactId, concurrencyKey, dedupKey, triggerEventId } = write
  const rows = await preparedSql(em, 'read-record-state', RECORD_STATE, [
    id,
    automationId,
    contactId,
    dedupKey,
    triggerEventId,
    concurrencyKey,
  ])
  const [row] = toObjects<Omit<RecordState, 'automation' | 'event'> & RecordState['automation'] & EventColumns>(
    rows,
    'lastEnrolledAt',
  )
  if (!row) return undefined
  const { status, version, activeVersion, trigger, triggerKey, eventType, eventName, eventData, eventDepth, ...state } =
    row
  return {
    ...state,
    automation: { status, version, activeVersion, trigger, triggerKey },
    event: eventType === null ? null : { type: eventType, name: eventName!, data: eventData, depth: eventDepth ?? 0 },
  }
}

interface EventColumns {
  eventType: Trigger | null
  eventName: string | null
  eventData: unknown
  eventDepth: number | null
}

const RECORD_STATE = `
select automation.workspace_id, automation.status, automation.version, automation.active_version, automation.trigger,
  automation.trigger_key, event.type as event_type, event.name as event_name, event.data as event_data,
  event.depth as event_depth,
  exists (select from contacts where id = $3::uuid and workspace_id = automation.workspace_id) as has_contact,
  exists (
    select from processed_events where automation_id = $2::uuid and contact_id = $3::uuid and event_id = $5::uuid
  ) as has_processed,
  (select status from enrollments where id = $1::uuid) as recorded,
  exists (select from enrollments where automation_id = $2::uuid and dedup_key = $4::text and id <> $1::uuid) as is_dedup_key_taken,
  (select id from enrollments
   where automation_id = $2::uuid and contact_id = $3::uuid and concurrency_key = $6 and status = 'ACTIVE'
     and id <> $1::uuid) as other_active_id,
  automation.entry -> 'reentry' as reentry, automation.entry -> 'concurrency' ->> 'key' as key_path,
  (select max(enrolled_at) from enrollments
   where automation_id = $2::uuid and contact_id = $3::uuid and concurrency_key = $6 and id <> $1::uuid
     and automation.entry ? 'reentry') as last_enrolled_at
from automations automation left join trigger_events event on event.id = $5::uuid
where automation.id = $2::uuid and automation.deleted_at is null`

/** An enrollment to insert. */
export interface NewEnrollment {
  workspaceId: string
  version: number
  status: 'ACTIVE' | 'CANCELLED'
  /** The cause, if it is cancelled. */
  endedBy: EndCause | null
  trigger: Trigger | null
  triggerKey: string | null
  event: TemplateVariables['event']
  depth: number
  /** See `RecordState`. */
  keyPath: string | null
}

/**
 * Inserts an enrollment. The caller counts it (`countChanges`) in the same transaction.
 *
 * Race: two processes record enrollments of one contact. Guard: the unique index of active enrollments. Test:
 * test/enrollments/one-active.test.ts.
 *
 * @returns the change; none if this row or another active one already exists
 */
export async function insertEnrollment(
  em: EntityManager,
  { id, automationId, contactId, concurrencyKey, dedupKey, enrolledAt }: EnrollmentWrite,
  { workspaceId, version, status, endedBy, trigger, triggerKey, event, depth, keyPath }: NewEnrollment,
): Promise<EnrollmentChange[]> {
  const stop = status === 'ACTIVE' ? firstStop(await versionSteps(em, automationId, version), enrolledAt) : undefined
  return preparedSql<EnrollmentChange>(em, 'insert-enrollment', INSERT, [
    ...[id, workspaceId, automationId, contactId, version, dedupKey, trigger, triggerKey],
    ...[event ? JSON.stringify(event) : null, status, enrolledAt.toISOString(), depth, concurrencyKey],
    ...[concurrencyKey === '' ? null : keyPath, endedBy && JSON.stringify(endedBy)],
    ...[stop?.stepId ?? null, stop?.at.toISOString() ?? null],
  ])
}

const INSERT = `
insert into enrollments
  (id, workspace_id, automation_id, contact_id, version, dedup_key, trigger, trigger_key, event, status, enrolled_at, depth, concurrency_key,
   key_path, ended_at, ended_by, next_step_id, wakes_at)
values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::integer, $6, $7, $8, $9::jsonb, $10, $11::timestamptz, $12::integer, $13, $14,
  case when $10 <> 'ACTIVE' then clock_timestamp() end, $15::jsonb, $16::uuid, $17::timestamptz)
on conflict do nothing returning ${CHANGED}`

/** An enrollment as its workflow reads it. */
export interface RecordedEnrollment extends KeyedEnrollment {
  status: EnrollmentStatus
  version: number
  automationName: string
  steps: StoredStep[]
  workspaceId: string
  contactId: string
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
  event: { data: unknown } | null
}

/** @returns `undefined` if it is not recorded, or its automation is deleted */
export async function readRecorded(em: EntityManager, id: string): Promise<RecordedEnrollment | undefined> {
  return toObjects<RecordedEnrollment>(await preparedSql(em, 'read-recorded', RECORDED, [id]))[0]
}

const RECORDED = `
select enrollment.status, enrollment.version, automation.name as automation_name, version.steps, enrollment.workspace_id, enrollment.contact_id,
  version.exit_on, version.goal, enrollment.event, enrollment.concurrency_key, enrollment.key_path
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
where enrollment.id = $1::uuid`

export async function isAutomationDeleted(em: EntityManager, id: string): Promise<boolean> {
  return (await sql(em, 'select from automations where id = $1::uuid and deleted_at is null', [id])).length === 0
}

/**
 * Ends an active enrollment, and counts it.
 *
 * @param cause `null` if it was completed
 * @returns whether it was active
 */
export const endActive = (em: EntityManager, id: string, status: EndStatus, cause: EndCause | null): Promise<boolean> =>
  pipelined(em, async (unit) => {
    const ended = await preparedSql<EnrollmentChange>(unit, 'end-enrollment', END, [
      id,
      status,
      cause && JSON.stringify(cause),
    ])
    await recordChanges(unit, ended)
    return async () => {
      await countChanges(unit, ended)
      return ended.length > 0
    }
  })

const END = `
update enrollments set status = $2, ended_at = clock_timestamp(), ended_by = $3::jsonb, ${NOWHERE}
where id = $1::uuid and status = 'ACTIVE' returning ${CHANGED}`

/**
 * Checks whether a workflow may be valid even though the database lacks the event that started it: a restored database is older
 * than Temporal until it is reconciled.
 */
export async function mayBeAheadOfTemporal(em: EntityManager, enrollmentId: string, eventId: string): Promise<boolean> {
  // Read the gate first: the second statement sees everything that a reconciliation records before it opens the gate.
  if ((await readSendingGate(em)).isOpen) return false
  const rows = await sql(
    em,
    `select where not exists (select from trigger_events where id = $2::uuid)
       and not exists (select from enrollments where id = $1::uuid)`,
    [enrollmentId, eventId],
  )
  return rows.length > 0
}

/** Facts that an enroll call checks before it starts anything: the automation's name, and whether the contact exists. */
export interface EnrollmentTarget {
  automationName: string
  hasContact: boolean
  /** The contact's enrollment according to the database. Only Temporal knows whether it runs. */
  activeId: string | null
  entry: EntryRules
}

/** Reads an automation and a contact of a workspace. @returns `undefined` if the automation enrolls no contacts */
export async function findEnrollmentTarget(
  em: EntityManager,
  workspaceId: string,
  { automationId, contactId, concurrencyKey }: Omit<Place, 'contactId'> & { contactId: string | null },
): Promise<EnrollmentTarget | undefined> {
  const parameters = [workspaceId, automationId, contactId, concurrencyKey]
  const rows = await preparedSql(em, 'find-enrollment-target', ENROLLMENT_TARGET, parameters)
  return toObjects<EnrollmentTarget>(rows)[0]
}

const ENROLLMENT_TARGET = `
select automation.name as automation_name,
  exists (select from contacts where id = $3::uuid and workspace_id = $1::uuid) as has_contact,
  (
    select id from enrollments
    where automation_id = $2::uuid and contact_id = $3::uuid and concurrency_key = $4 and status = 'ACTIVE' limit 1
  ) as active_id, automation.entry
from automations automation
where automation.id = $2::uuid and automation.workspace_id = $1::uuid and automation.status = 'ACTIVE'
  and automation.deleted_at is null`

/** Returns when an enrollment began, if it is recorded. */
export async function findEnrollment(em: EntityManager, id: string): Promise<{ enrolledAt: Date } | undefined> {
  return (await unitOf(em).findOne(Enrollment, { id }, FRESH_READ)) ?? undefined
}

/**
 * Locks the entrance of one contact to one automation until the transaction ends. Needed only by a call that must itself decide
 * whether the contact enters, because the running workflow does not.
 */
export async function lockEntrance(
  em: EntityManager,
  { automationId, contactId, concurrencyKey }: Place,
): Promise<void> {
  const name = `enroll ${automationId} ${contactId} ${concurrencyKey}`
  await sql(em, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, [name])
}

/** Returns the active enrollment of a place according to the database, if any. */
export async function findActive(
  em: EntityManager,
  { automationId, contactId, concurrencyKey }: Place,
): Promise<string | undefined> {
  const which = { automationId, contactId, concurrencyKey, status: 'ACTIVE' as const }
  const row = await unitOf(em).findOne(Enrollment, which, FRESH_READ)
  return row?.id
}

/** Returns whether a contact has an active enrollment in an automation, with any concurrency key. */
export const hasActive = async (em: EntityManager, of: ContactInAutomation): Promise<boolean> =>
  (await unitOf(em).count(Enrollment, { ...of, status: 'ACTIVE' as const })) > 0

/** Reads enrollments of an automation in the order of their IDs: all of them, or only the paused ones. */
export async function enrollmentPage(
  em: EntityManager,
  { automationId, afterId, paused }: { automationId: string; afterId: string | null; paused: boolean },
  limit: number,
): Promise<(Place & { id: string; active: boolean })[]> {
  const which = { automationId, ...(afterId === null ? {} : { id: { $gt: afterId } }), ...(paused ? { paused } : {}) }
  const page = await unitOf(em).find(Enrollment, which, { orderBy: { id: 'asc' }, limit, ...FRESH_READ })
  return page.map(({ id, contactId, concurrencyKey, status }) => ({
    id,
    automationId,
    contactId,
    concurrencyKey,
    active: status === 'ACTIVE',
  }))
}

/** Deletes the runs of steps of enrollments that are being deleted. Given by the module of steps, which depends on this one. */
type DeleteRuns = (em: EntityManager, enrollmentIds: readonly string[]) => Promise<void>

/**
 * Deletes enrollments of a deleted automation, and finalizes their messages.
 * @returns whether all are deleted; one remains while an email of it is being sent
 */
export function deleteEnrollments(em: EntityManager, ids: readonly string[], deleteRuns: DeleteRuns): Promise<boolean> {
  return em.transactional(async (unit) => {
    await lockEnrollments(unit, ids)
    const busy = await finishMessagesOf(unit, ids, { dismissed: AUTOMATION_DELETED, senderDied: SENDER_STOPPED_ERROR })
    const deleted = ids.filter((id) => !busy.has(id))
    await deleteRuns(unit, deleted)
    await countChanges(
      unit,
      await sql(unit, `delete from enrollments where id = any($1::uuid[]) returning ${CHANGED}`, [deleted]),
    )
    return busy.size === 0
  })
}

const AUTOMATION_DELETED = 'The automation was deleted before the message could be sent'
