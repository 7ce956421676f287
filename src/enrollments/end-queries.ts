import type { EntityManager } from '../platform/db/orm.ts'
import { dropRetriesOf, settlePutOff } from '../messages/index.ts'
import { sql } from '../platform/db/sql.ts'
import { eventCause } from '../sequences/index.ts'
import { type Delivery, DELIVERY_COLUMNS, type DeliveryRow, toDelivery, WRITER_LEASE_SECONDS } from '../outbox/index.ts'

/** What an end has found. */
export interface Ended {
  /** What is due at Temporal; nothing where nobody was in. */
  due: Delivery[]
  /** Whether anything of this automation could still have been sent to the contact. */
  wasPending: boolean
}

/**
 * Ends an enrollment by the ledger, and makes its workflow's end due. From the commit on no email of this automation to the contact
 * can be claimed: claims share locks on the contact and the enrollment. One that was put off will not be tried again, nor is one
 * that somebody has asked for, of this enrollment or an earlier one. An event that was fired before and is still on its way, to
 * Temporal or in it, is as heard, and lets nobody in anew.
 */
export async function endRow(
  em: EntityManager,
  { automationId, contactId }: { automationId: string; contactId: string },
): Promise<Ended> {
  // First, as whoever erases it does: each waits for the other, and for whoever is let in (`has_heard`).
  await sql(em, `select from contacts where id = $1::uuid for update`, [contactId])
  const dropped = await dropRetriesOf(em, automationId, contactId)
  const rows = await sql<DeliveryRow>(em, END, [automationId, contactId, WRITER_LEASE_SECONDS, null])
  // Behind that: while she was in, an event is no way in.
  const heard = await sql(em, HEAR_FIRED, [automationId, contactId])
  const due = rows.map(toDelivery)
  for (const { enrollmentId } of due) await settlePutOff(em, enrollmentId!)
  return { due, wasPending: dropped + heard.length + rows.length > 0 }
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
 * Ends one enrollment for another one of the same contact: what is on its way to let her in does so. Not where that one has begun already,
 * nor where the one that is there came later.
 *
 * @param em a transaction
 * @returns what is due at Temporal; nothing where it is not ended
 */
export async function endToAskAnew(
  em: EntityManager,
  { id, automationId, contactId, enrollmentId, eventId }: AskingAnew,
): Promise<Delivery[]> {
  await sql(em, `select from contacts where id = $1::uuid for update`, [contactId])
  const older = await sql(
    em,
    `select from enrollments active
     where active.id = $1::uuid and active.id <> $2::uuid
       and active.enrolled_at < (select created_at from trigger_events where id = $3::uuid)
       and not exists (select from enrollments where id = $2::uuid or cause = '${eventCause('')}' || $3::text)`,
    [id, enrollmentId, eventId],
  )
  if (older.length === 0) return []
  const due = (await sql<DeliveryRow>(em, END, [automationId, contactId, WRITER_LEASE_SECONDS, id])).map(toDelivery)
  for (const { enrollmentId } of due) await settlePutOff(em, enrollmentId!)
  return due
}

const END = `
with ended as (
  update enrollments set status = 'CANCELLED', held = false, ended_at = clock_timestamp()
  where automation_id = $1::uuid and contact_id = $2::uuid and status = 'ACTIVE' and ($4::uuid is null or id = $4::uuid)
  returning id, workspace_id, automation_id, contact_id
),
delivery as (
  insert into outbox as delivery (kind, key, lane, workspace_id, automation_id, contact_id, enrollment_id, due_at)
  select 'END', id::text, 'interactive', workspace_id, automation_id, contact_id, id,
    now() + make_interval(secs => $3::float8)
  from ended
  on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at
  returning delivery.*
)
select ${DELIVERY_COLUMNS} from delivery`

const HEAR_FIRED = `
with pending as (
  delete from outbox where kind = 'START' and automation_id = $1::uuid and contact_id = $2::uuid returning event_id
),
heard as (
  insert into heard_events (automation_id, contact_id, event_id)
  select $1::uuid, $2::uuid, event.id from trigger_events event
  where event.contact_id = $2::uuid and $1::uuid = any(event.automation_ids)
    and not exists (
      select from enrollments where automation_id = $1::uuid and cause = '${eventCause('')}' || event.id
    )
  on conflict do nothing
  returning event_id
)
select event_id from pending union select event_id from heard`
