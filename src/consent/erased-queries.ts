import type { SuppressionReason } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Whether somebody who was erased is mailed no more at any address that she had; `undefined` where nothing is known of her. */
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

/**
 * Writes that the addresses that an erased contact had are not to be mailed.
 * @returns in which workspace, and why; `undefined` where nothing is known of her
 */
export async function suppressErased<Reason extends SuppressionReason>(
  em: EntityManager,
  contactId: string,
  reason: Reason,
): Promise<{ workspaceId: string; reason: Reason | 'UNSUBSCRIBED' } | undefined> {
  const [row] = await sql<{ workspace_id: string; reason: Reason | 'UNSUBSCRIBED' }>(
    em,
    `with erased as (
       select workspace_id, address_hash, case when count(*) over () > 1 then 'UNSUBSCRIBED' else $2::text end as reason
       from erased_contacts where contact_id = $1::uuid
     ),
     added as (
       insert into suppressions (id, workspace_id, address_hash, reason)
       select gen_random_uuid(), workspace_id, address_hash, reason from erased order by address_hash
       on conflict do nothing
     )
     select workspace_id, reason from erased limit 1`,
    [contactId, reason],
  )
  return row && { workspaceId: row.workspace_id, reason: row.reason }
}

/**
 * Writes that an address is not to be mailed, if somebody was mailed there who is erased since, and that is not what was told before.
 * @returns whether it is
 */
export async function suppressErasedAddress(
  em: EntityManager,
  workspaceId: string,
  key: string,
  { reason, told }: { reason: SuppressionReason; told: string | null },
): Promise<boolean> {
  const rows = await sql(
    em,
    `with erased as (
       select workspace_id, address_hash from erased_contacts
       where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)
         and not exists (
           select from erased_contacts where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)
             and $4::text = any(heard)
         )
       limit 1
     ),
     added as (
       insert into suppressions (id, workspace_id, address_hash, reason)
       select gen_random_uuid(), workspace_id, address_hash, $3::text from erased
       on conflict do nothing
     )
     select from erased`,
    [workspaceId, key, reason, told],
  )
  return rows.length > 0
}

/** So many of the last things that were told of an address are known again. */
const MOST_HEARD = 20

/** Notes that what was told of an address is done. */
export async function noteHeard(em: EntityManager, workspaceId: string, key: string, told: string): Promise<void> {
  await sql(
    em,
    `update erased_contacts set heard = (array_append(heard, $3::text))[greatest(1, cardinality(heard) + 2 - ${MOST_HEARD}):]
     where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)`,
    [workspaceId, key, told],
  )
}

/** Whether somebody was mailed by a workspace, and is erased. */
export async function isErasedOf(em: EntityManager, workspaceId: string, contactId: string): Promise<boolean> {
  const rows = await sql(
    em,
    'select from erased_contacts where contact_id = $2::uuid and workspace_id = $1::uuid limit 1',
    [workspaceId, contactId],
  )
  return rows.length > 0
}

/** Of the addresses that an erased contact had, those that somebody of the workspace has by now. */
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
