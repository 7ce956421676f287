import type { SuppressionReason } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

/** Whether somebody who was erased wants no marketing; `undefined` where she was sent nothing, or is not erased. */
export async function readErased(
  em: EntityManager,
  contactId: string,
): Promise<{ isUnsubscribed: boolean } | undefined> {
  const [row] = await sql<{ is_unsubscribed: boolean }>(
    em,
    `select exists (
       select from suppressions where workspace_id = erased.workspace_id and address_hash = erased.address_hash
     ) as is_unsubscribed
     from erased_contacts erased where contact_id = $1::uuid`,
    [contactId],
  )
  return row && { isUnsubscribed: row.is_unsubscribed }
}

/** Writes that the address that an erased contact had is not to be mailed. @returns its workspace, where that is new */
export async function suppressErased(
  em: EntityManager,
  contactId: string,
  reason: SuppressionReason,
): Promise<string | undefined> {
  const [row] = await sql<{ workspace_id: string }>(
    em,
    `insert into suppressions (id, workspace_id, address_hash, reason)
     select $2::uuid, workspace_id, address_hash, $3::text from erased_contacts where contact_id = $1::uuid
     on conflict do nothing returning workspace_id`,
    [contactId, newId(), reason],
  )
  return row?.workspace_id
}

/**
 * The address that an erased contact had, where somebody of the workspace has it by now. It looks at all of the workspace's contacts: nobody
 * keeps an index for that.
 */
export async function addressOfErased(em: EntityManager, contactId: string): Promise<string | undefined> {
  const [row] = await sql<{ email: string }>(
    em,
    `select contact.email from erased_contacts erased
     join contacts contact on contact.workspace_id = erased.workspace_id
       and address_hash(contact.workspace_id, contact.email_key) = erased.address_hash
     where erased.contact_id = $1::uuid limit 1`,
    [contactId],
  )
  return row?.email
}
