import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, sql } from '../platform/db/sql.ts'
import { ErasedContact } from './entities.ts'

/** Reads whether an erased contact is suppressed at every address they had; `undefined` if the contact is unknown. */
export async function readErased(
  em: EntityManager,
  contactId: string,
): Promise<{ isUnsubscribed: boolean } | undefined> {
  const [row] = await sql<{ is_unsubscribed: boolean | null }>(
    em,
    `select bool_and(exists (
       select from suppressions where workspace_id = erased.workspace_id and address_hash = erased.address_hash and reason <> 'BOUNCED'
     )) as is_unsubscribed
     from erased_contacts erased where contact_id = $1::uuid`,
    [contactId],
  )
  return row?.is_unsubscribed == null ? undefined : { isUnsubscribed: row.is_unsubscribed }
}

/** The hashes of the addresses at which an erased contact was emailed; `undefined` if the contact is unknown. */
export async function hashesOfErased(
  em: EntityManager,
  contactId: string,
): Promise<{ workspaceId: string; hashes: Buffer[] } | undefined> {
  const rows = await em.find(ErasedContact, { contactId }, FRESH_READ)
  const [first] = rows
  return first && { workspaceId: first.workspaceId, hashes: rows.map(({ addressHash }) => Buffer.from(addressHash)) }
}

/**
 * Finds the hash of an address at which an erased contact was emailed, unless this notification has already been applied.
 *
 * @param notificationId identifies the notification; `null` if it has no ID
 */
export async function hashOfErasedAddress(
  em: EntityManager,
  workspaceId: string,
  key: string,
  notificationId: string | null,
): Promise<Buffer | undefined> {
  const [row] = await sql<{ address_hash: Buffer; was_told: boolean | null }>(
    em,
    `select address_hash, bool_or($3::text = any(processed_events)) as was_told from erased_contacts
     where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text) group by address_hash`,
    [workspaceId, key, notificationId],
  )
  return row && row.was_told !== true ? row.address_hash : undefined
}

/** The number of recent notifications about an address that are deduplicated. */
const MAX_PROCESSED_EVENTS = 20

/** Records that a notification about an address was applied. */
export async function recordProcessedEvents(
  em: EntityManager,
  workspaceId: string,
  key: string,
  notificationId: string,
): Promise<void> {
  await sql(
    em,
    `update erased_contacts set processed_events = (array_append(processed_events, $3::text))[greatest(1, cardinality(processed_events) + 2 - ${MAX_PROCESSED_EVENTS}):]
     where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)`,
    [workspaceId, key, notificationId],
  )
}

/** Returns whether an erased contact was emailed by this workspace. */
export async function isErasedContactOf(em: EntityManager, workspaceId: string, contactId: string): Promise<boolean> {
  const rows = await sql(
    em,
    'select from erased_contacts where contact_id = $2::uuid and workspace_id = $1::uuid limit 1',
    [workspaceId, contactId],
  )
  return rows.length > 0
}

/** The current email of contacts of the workspace that have an address of an erased contact. */
export async function addressesOfErased(em: EntityManager, contactId: string): Promise<string[]> {
  const rows = await sql<{ email: string }>(
    em,
    `select contact.email from erased_contacts erased
     join contacts contact on address_hash(contact.workspace_id, contact.email_key) = erased.address_hash
       and contact.workspace_id = erased.workspace_id
     where erased.contact_id = $1::uuid`,
    [contactId],
  )
  return rows.map(({ email }) => email)
}
