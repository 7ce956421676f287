import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { deleteEventsOf, recordWebhookFacts } from '../webhooks/index.ts'
import type { ErasedContact } from './erasure.ts'

/**
 * Locks a contact, so that no email to it can be claimed until the transaction ends. Then locks the counter of its block:
 * creating contacts locks the counters in the same order, before those of lists.
 *
 * @returns whether the contact exists
 */
export async function lockContactForErasure(em: EntityManager, { workspaceId, id }: ErasedContact): Promise<boolean> {
  const rows = await sql(em, 'select from contacts where id = $2::uuid and workspace_id = $1::uuid for update', [
    workspaceId,
    id,
  ])
  await sql(
    em,
    `select from contact_counters
     where subject = $1::uuid and block = (select place / 4096 from contacts where id = $2::uuid)
       and slot = pg_backend_pid() % 16 for update`,
    [workspaceId, id],
  )
  return rows.length > 0
}

/** Deletes a contact with the rows that refer to it: memberships, tags, events and enrollments. */
export async function deleteContact(em: EntityManager, { workspaceId, id }: ErasedContact): Promise<void> {
  await sql(em, 'delete from contacts where id = $2::uuid and workspace_id = $1::uuid', [workspaceId, id])
  await deleteEventsOf(em, id)
  await recordWebhookFacts(em, [{ type: 'contact.deleted', workspaceId, contactId: id }])
}
