import { dismissMessages, dropRetriesOf, ENROLLMENT_ENDED } from '../messages/index.ts'
import { type Delivery, enqueueForCaller, takeStarts } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { eventCause } from '../sequences/index.ts'
import { keepHeard } from '../triggers/index.ts'

/** What ending an enrollment has found. */
export interface Ended {
  /** What is due at Temporal; nothing where the contact was not in the automation. */
  due: Delivery[]
  /** Whether anything of this automation could still have been sent to the contact. */
  wasPending: boolean
}

/**
 * Ends a contact's enrollment, and makes the end of its workflow due. After the commit no email of this automation to the contact can
 * be claimed, deferred emails are dismissed, and retries of this enrollment or an earlier one are dropped. Events that were fired
 * before, and are still on their way, start nothing.
 *
 * @param em a transaction
 */
export async function endRow(
  em: EntityManager,
  { automationId, contactId }: { automationId: string; contactId: string },
): Promise<Ended> {
  // Claims share this lock, and whoever records an enrollment of the contact takes it.
  await lockContact(em, contactId)
  const dropped = await dropRetriesOf(em, automationId, contactId)
  const due = await endActiveOf(em, { automationId, contactId })
  const pending = await takeStarts(em, { automationId, contactId })
  const heard = await keepHeard(em, {
    automationId,
    contactId,
    eventIds: await eventsNotEntered(em, automationId, contactId),
  })
  return { due, wasPending: dropped + due.length + pending + heard.length > 0 }
}

/** An enrollment that is there, and the one that an event begins in its place. */
export interface AskingAnew {
  id: string
  automationId: string
  contactId: string
  enrollmentId: string
  eventId: string
}

/**
 * Ends one enrollment for another one of the same contact, which an event that is on its way begins. Not where that one has begun
 * already, nor where the present one is newer than the event.
 *
 * @param em a transaction
 * @returns what is due at Temporal; nothing where it is not ended
 */
export async function endToAskAnew(
  em: EntityManager,
  { id, automationId, contactId, enrollmentId, eventId }: AskingAnew,
): Promise<Delivery[]> {
  await lockContact(em, contactId)
  const older = await sql(
    em,
    `select from enrollments active
     where active.id = $1::uuid and active.id <> $2::uuid
       and active.enrolled_at < (select created_at from trigger_events where id = $3::uuid)
       and not exists (select from enrollments where id = $2::uuid or cause = '${eventCause('')}' || $3::text)`,
    [id, enrollmentId, eventId],
  )
  return older.length === 0 ? [] : endActiveOf(em, { automationId, contactId, id })
}

async function lockContact(em: EntityManager, contactId: string): Promise<void> {
  await sql(em, 'select from contacts where id = $1::uuid for update', [contactId])
}

async function endActiveOf(
  em: EntityManager,
  { automationId, contactId, id = null }: { automationId: string; contactId: string; id?: string | null },
): Promise<Delivery[]> {
  const ended = await sql<{ id: string; workspace_id: string }>(
    em,
    `update enrollments set status = 'CANCELLED', held = false, ended_at = clock_timestamp()
     where automation_id = $1::uuid and contact_id = $2::uuid and status = 'ACTIVE' and ($3::uuid is null or id = $3::uuid)
     returning id, workspace_id`,
    [automationId, contactId, id],
  )
  await dismissMessages(em, { enrollmentIds: ended.map((enrollment) => enrollment.id) }, ENROLLMENT_ENDED)
  return enqueueForCaller(
    em,
    ended.map((enrollment) => ({
      kind: 'END',
      workspaceId: enrollment.workspace_id,
      automationId,
      contactId,
      enrollmentId: enrollment.id,
    })),
  )
}

/** The events for an automation that have not started an enrollment of the contact. */
async function eventsNotEntered(em: EntityManager, automationId: string, contactId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select event.id from trigger_events event
     where event.contact_id = $2::uuid and $1::uuid = any(event.automation_ids) and not exists (
       select from enrollments where automation_id = $1::uuid and cause = '${eventCause('')}' || event.id
     )`,
    [automationId, contactId],
  )
  return rows.map(({ id }) => id)
}
