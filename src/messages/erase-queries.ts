import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/**
 * Deletes the messages of a contact, except those that are being sent: their senders must be able to renew their leases.
 * @returns how many are left
 */
export async function deleteMessages(em: EntityManager, contactId: string): Promise<number> {
  await sql(
    em,
    `delete from messages where contact_id = $1::uuid and not (status = 'SENDING' and lease_until > clock_timestamp())`,
    [contactId],
  )
  const [row] = await sql<{ left: number }>(
    em,
    'select count(*)::integer as left from messages where contact_id = $1::uuid',
    [contactId],
  )
  return row!.left
}

/** Whether a contact that is erased has a message whose status is not final. */
export async function hasMessageInFlight(em: EntityManager, workspaceId: string, contactId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where contact_id = $2::uuid and workspace_id = $1::uuid and status = 'SENDING'
       and not exists (select from contacts where id = $2::uuid) limit 1`,
    [workspaceId, contactId],
  )
  return rows.length > 0
}
