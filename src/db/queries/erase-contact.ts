import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'

/** Locks a contact, so that no email to it can be claimed until the transaction ends. @returns whether it exists. */
export async function lockContact(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql(em, `select id from contacts where id = $2::uuid and workspace_id = $1::uuid for update`, [
    workspaceId,
    id,
  ])
  return rows.length > 0
}

/** How many emails to a contact are being handed over at this moment, by senders that may still be alive. */
export async function countSendingTo(em: EntityManager, contactId: string, aliveSeconds: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages
     where contact_id = $1::uuid and status = 'SENDING' and claimed_at > now() - make_interval(secs => $2)`,
    [contactId, aliveSeconds],
  )
  return row?.count ?? 0
}

export interface Cancellation {
  automationId: string
  contactId: string
}

/**
 * Erases a contact and everything that hangs on it: enrollments, messages, events, memberships, tags, and the answers
 * kept for its Idempotency-Keys. What is left are the cancellations owed to its workflows, which hold ids alone.
 *
 * The tally of its block is taken first: `upsertContacts` takes it before those of lists, too.
 */
export async function eraseContact(
  em: EntityManager,
  workspaceId: string,
  id: string,
  leaseSeconds: number,
): Promise<Cancellation[]> {
  await sql(
    em,
    `select count from tallies
     where subject = $1::uuid and block = (select place / 4096 from contacts where id = $2::uuid) for update`,
    [workspaceId, id],
  )
  const rows = await sql<{ automation_id: string }>(
    em,
    `insert into cancellations as cancellation (automation_id, contact_id, lease_until)
     select distinct automation_id, contact_id, now() + make_interval(secs => $2::float8) from enrollments
     where contact_id = $1::uuid and status = 'ACTIVE'
     on conflict (automation_id, contact_id) do update set lease_until = excluded.lease_until
     returning automation_id`,
    [id, leaseSeconds],
  )
  await sql(em, `delete from idempotency_keys where contact_id = $1::uuid`, [id])
  await sql(em, `delete from contacts where id = $1::uuid`, [id])
  return rows.map((row) => ({ automationId: row.automation_id, contactId: id }))
}

/** Takes cancellations whose lease has run out. */
export async function leaseCancellations(em: EntityManager, limit: number): Promise<Cancellation[]> {
  const rows = await sql<{ automation_id: string; contact_id: string }>(
    em,
    `update cancellations set lease_until = now() + interval '30 seconds'
     where (automation_id, contact_id) in (
       select automation_id, contact_id from cancellations where lease_until <= now()
       order by lease_until limit $1 for update skip locked
     )
     returning automation_id, contact_id`,
    [limit],
  )
  return rows.map((row) => ({ automationId: row.automation_id, contactId: row.contact_id }))
}

export async function endCancellation(em: EntityManager, { automationId, contactId }: Cancellation): Promise<void> {
  await sql(em, `delete from cancellations where automation_id = $1::uuid and contact_id = $2::uuid`, [
    automationId,
    contactId,
  ])
}
