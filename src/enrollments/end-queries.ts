import type { EntityManager } from '../platform/db/orm.ts'
import { dropRetriesOf, settlePutOff } from '../messages/index.ts'
import { sql } from '../platform/db/sql.ts'
import { type Delivery, deliveryColumns, type DeliveryRow, toDelivery, WRITER_LEASE_SECONDS } from '../outbox/index.ts'

/**
 * Ends an enrollment by the ledger, and makes its workflow's end due. From the commit on no email of it can be claimed: a claim
 * locks its row. One that was put off will not be tried again, and is settled as that. An event that was fired before and is
 * still on its way was for somebody who was in: it is as heard, and lets nobody in anew. Nor is a message of it tried again that was to be.
 *
 * @returns what is due; nothing where it was over already.
 */
export async function endRow(em: EntityManager, enrollmentId: string): Promise<Delivery[]> {
  const rows = await sql<DeliveryRow>(em, END, [enrollmentId, WRITER_LEASE_SECONDS])
  const [delivery] = rows
  if (!delivery) return []
  await settlePutOff(em, enrollmentId)
  await dropRetriesOf(em, enrollmentId)
  await sql(em, HEAR_PENDING, [delivery.automation_id, delivery.contact_id])
  return rows.map(toDelivery)
}

const END = `
with ended as (
  update enrollments set status = 'CANCELLED', held = false, ended_at = clock_timestamp()
  where id = $1::uuid and status = 'ACTIVE'
  returning id, workspace_id, automation_id, contact_id
),
delivery as (
  insert into outbox as delivery (kind, key, lane, workspace_id, automation_id, contact_id, enrollment_id, due_at)
  select 'END', id::text, 'interactive', workspace_id, automation_id, contact_id, id,
    now() + make_interval(secs => $2::float8)
  from ended
  on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at
  returning delivery.*
)
select ${deliveryColumns()} from delivery`

const HEAR_PENDING = `
with pending as (
  delete from outbox where kind = 'START' and automation_id = $1::uuid and contact_id = $2::uuid returning event_id
)
insert into heard_events (automation_id, contact_id, event_id)
select $1::uuid, $2::uuid, event.id from pending join trigger_events event on event.id = pending.event_id
on conflict do nothing`
