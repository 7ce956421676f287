import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { forgetRequestsFor } from '../http/index.ts'
import { type Delivery, deliveryColumns, type DeliveryRow, toDelivery, WRITER_LEASE_SECONDS } from '../outbox/index.ts'

/** Locks a contact, so that no email to it can be claimed until the transaction ends. @returns whether it exists. */
export async function lockContact(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql(em, `select id from contacts where id = $2::uuid and workspace_id = $1::uuid for update`, [
    workspaceId,
    id,
  ])
  return rows.length > 0
}

/**
 * Erases a contact and everything that hangs on it: enrollments, messages, events, memberships, tags, and the answers
 * kept for its Idempotency-Keys. What is left are those keys, the cancellations of its workflows that are pending, and the
 * claims of emails that are being handed over at this moment: nobody who erases keeps a sender from renewing its claims, and
 * they go when they are settled.
 *
 * The tally of its block is taken first: `upsertContacts` takes it before those of lists, too.
 */
export async function eraseContact(em: EntityManager, workspaceId: string, id: string): Promise<Delivery[]> {
  await sql(
    em,
    `select count from tallies
     where subject = $1::uuid and block = (select place / 4096 from contacts where id = $2::uuid) for update`,
    [workspaceId, id],
  )
  const rows = await sql<DeliveryRow>(
    em,
    `with delivery as (
       insert into outbox as delivery (kind, key, lane, workspace_id, automation_id, contact_id, due_at)
       select distinct 'CANCEL', automation_id || ' ' || contact_id, 'interactive', workspace_id, automation_id, contact_id,
         now() + make_interval(secs => $2::float8)
       from enrollments where contact_id = $1::uuid and status = 'ACTIVE'
       on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at
       returning delivery.*
     )
     select ${deliveryColumns()} from delivery`,
    [id, WRITER_LEASE_SECONDS],
  )
  await sql(em, `delete from outbox where kind = 'START' and contact_id = $1::uuid`, [id])
  await forgetRequestsFor(em, id)
  await sql(
    em,
    `delete from messages where contact_id = $1::uuid
       and not (status = 'SENDING' and lease_until > clock_timestamp())`,
    [id],
  )
  await sql(em, `delete from contacts where id = $1::uuid`, [id])
  return rows.map(toDelivery)
}

/** Whether a contact of the workspace was erased whose last message is not settled yet. */
export async function isBeingErased(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where contact_id = $2::uuid and workspace_id = $1::uuid and status = 'SENDING'
       and not exists (select from contacts where id = $2::uuid) limit 1`,
    [workspaceId, id],
  )
  return rows.length > 0
}

/** Removes what is left of an erased contact once nothing is being handed over. @returns whether that is so. */
export async function eraseRest(em: EntityManager, id: string): Promise<boolean> {
  const [row] = await sql<{ left: number }>(
    em,
    `with gone as (
       delete from messages where contact_id = $1::uuid
         and not (status = 'SENDING' and lease_until > clock_timestamp())
         and not exists (select from contacts where id = $1::uuid)
       returning id
     )
     select count(*)::integer as left from messages where contact_id = $1::uuid and id not in (select id from gone)`,
    [id],
  )
  return row?.left === 0
}
