import { anonymizeSuppressions } from '../contacts/index.ts'
import type { LinkOf } from '../signed-links/index.ts'
import type { Delivery } from '../outbox/index.ts'
import { HAS_ARRIVED, RECIPIENT } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { listIdOfTrigger } from '../triggers/index.ts'

/** Returns whether a contact of the workspace has an address. */
export async function hasContact(em: EntityManager, workspaceId: string, key: string): Promise<boolean> {
  const rows = await sql(em, 'select from contacts where workspace_id = $1::uuid and email_key = $2', [
    workspaceId,
    key,
  ])
  return rows.length > 0
}

/** A contact whose row is locked. */
export interface LockedContact {
  workspaceId: string
  email: string
  /** The normalized address. */
  key: string
  isUnconfirmed: boolean
}

/**
 * Locks a contact by ID alone, as links contain no workspace. A claim of an email to the contact waits for the end of the
 * transaction, and fails if `consent_version` has grown.
 */
export async function lockContact(em: EntityManager, id: string): Promise<LockedContact | undefined> {
  const rows = await sql(
    em,
    `select workspace_id, email, email_key as key, unconfirmed as is_unconfirmed
     from contacts where id = $1::uuid for no key update`,
    [id],
  )
  return toObjects<LockedContact>(rows)[0]
}

/** Reads the automations of a contact's running enrollments that ask them to confirm a list. */
export async function automationsAsking(em: EntityManager, contactId: string, listId: string): Promise<string[]> {
  const rows = await sql<{ automation_id: string }>(
    em,
    `select distinct enrollment.automation_id
     from enrollments enrollment
     join automations automation on automation.id = enrollment.automation_id
     where enrollment.contact_id = $1::uuid and enrollment.status = 'ACTIVE'
       and ${listIdOfTrigger('LIST_REQUESTED')} = $2::text`,
    [contactId, listId],
  )
  return rows.map(({ automation_id }) => automation_id)
}

/** A contact's lists, and whether they unsubscribed, for the preferences page. */
export interface Preferences {
  workspaceId: string
  /** The name in the From header of the workspace's emails, or the name of the workspace. */
  senderName: string
  /** Whether the contact asked not to get marketing. */
  isUnsubscribed: boolean
  /** The lists that are visible to the contact. */
  lists: { id: string; name: string; description: string | null; isMember: boolean }[]
  metadata: Record<string, unknown>
  brand: Brand
}

/** How the pages of a workspace look. */
export interface Brand {
  /** Such as `#2f6b45`; null for the default. */
  color: string | null
  /** The path of an image, such as `/m/3f2c.png`. */
  logoPath: string | null
  postalAddress: string | null
}

/** SQL expression: the name of the sender to the row `contact`. */
const SENDER_NAME = `coalesce(
  (select nullif(trim(from_name), '') from senders where workspace_id = contact.workspace_id),
  (select name from workspaces where id = contact.workspace_id)
)`

/** SQL expression: the brand of the workspace of the row `contact`. */
const BRAND = `coalesce(
  (select jsonb_build_object('color', brand_color, 'logoPath', logo_path, 'postalAddress', postal_address)
   from senders where workspace_id = contact.workspace_id),
  '{"color": null, "logoPath": null, "postalAddress": null}'
)`

export async function readPreferences(em: EntityManager, contactId: string): Promise<Preferences | undefined> {
  const rows = await sql(
    em,
    `select contact.workspace_id, contact.metadata, ${BRAND} as brand,
       ${SENDER_NAME} as sender_name,
       exists (
         select from suppressions where workspace_id = contact.workspace_id
           and address_hash = address_hash(contact.workspace_id, contact.email_key)
           and reason in ('UNSUBSCRIBED', 'IMPORTED')
       ) as is_unsubscribed,
       (
         select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'description', description, 'isMember', is_member) order by name, id), '[]') from (
           select list.id, list.name, list.description, member.contact_id is not null as is_member
           from lists list
           left join list_members member on member.list_id = list.id and member.contact_id = contact.id
           left join list_opt_outs out on out.list_id = list.id and out.contact_id = contact.id
           where list.workspace_id = contact.workspace_id and list.public
             and (member.contact_id is not null or out.contact_id is not null)
           order by list.name, list.id limit 100
         ) seen
       ) as lists
     from contacts contact where contact.id = $1::uuid`,
    [contactId],
  )
  return toObjects<Preferences>(rows)[0]
}

/** Deletes a contact's address. Keeps hashes: for suppressions, and for the links in emails that the contact received. */
export async function eraseAddresses(
  em: EntityManager,
  { id: contactId }: { id: string },
): Promise<readonly Delivery[]> {
  const recipients = await sql<{ recipient: string; was_mailed: boolean }>(
    em,
    `select ${RECIPIENT} as recipient, true as was_mailed
     from messages message join contacts contact on contact.id = message.contact_id
     where message.contact_id = $1::uuid and ${HAS_ARRIVED}
     union select recipient, false from messages where contact_id = $1::uuid and recipient is not null
     union select email, false from former_addresses where contact_id = $1::uuid`,
    [contactId],
  )
  const [contact] = await sql<{ workspace_id: string }>(em, 'select workspace_id from contacts where id = $1::uuid', [
    contactId,
  ])
  // The contact's links keep working for each address that received email.
  if (contact) {
    await sql(
      em,
      `insert into erased_contacts (contact_id, workspace_id, address_hash)
       select distinct $1::uuid, $2::uuid, address_hash($2::uuid, key) from unnest($3::text[]) key
       on conflict do nothing`,
      [
        contactId,
        contact.workspace_id,
        recipients.flatMap(({ recipient, was_mailed }) => (was_mailed ? [emailKey(recipient)] : [])),
      ],
    )
  }
  await anonymizeSuppressions(
    em,
    contactId,
    recipients.map(({ recipient }) => emailKey(recipient)),
  )
  return []
}

/** Counts active enrollments by the key of the contact's address. Contacts without any are left out. */
export async function countActiveOf(
  em: EntityManager,
  workspaceId: string,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ key: string; count: number }>(
    em,
    `select contact.email_key as key, count(*)::integer as count from contacts contact
     join enrollments enrollment on enrollment.contact_id = contact.id and enrollment.status = 'ACTIVE'
     where contact.workspace_id = $1::uuid and contact.email_key = any($2::text[]) group by 1`,
    [workspaceId, keys],
  )
  return new Map(rows.map(({ key, count }) => [key, count]))
}

/** The maximum number of emails of an enrollment or campaign that are checked. Few have more. */
const MAX_LOOKED_AT = 100

/**
 * Checks whether a link was sent to the contact's current address, and returns the other addresses it was sent to.
 *
 * @param key the normalized current address
 */
export async function addressesOfLink(
  em: EntityManager,
  { contactId, originId }: LinkOf,
  key: string,
): Promise<{ isCurrent: boolean; others: string[] }> {
  const rows = await sql<{ recipient: string }>(
    em,
    `select distinct ${RECIPIENT} as recipient from messages message join contacts contact on contact.id = message.contact_id
     where contact.id = $1::uuid and (enrollment_id = $2::uuid or campaign_id = $2::uuid) and ${HAS_ARRIVED}
     limit $3::integer`,
    [contactId, originId, MAX_LOOKED_AT],
  )
  return {
    isCurrent: rows.some(({ recipient }) => emailKey(recipient) === key),
    others: rows.flatMap(({ recipient }) => (emailKey(recipient) === key ? [] : [recipient])),
  }
}

/** The state of a confirmation request that a link refers to. */
export interface ConfirmationState {
  /** The list to confirm; `null` if there is nothing left to confirm. */
  listName: string | null
  metadata: Record<string, unknown>
  senderName: string
  brand: Brand
}

export async function readConfirmationState(
  em: EntityManager,
  contactId: string,
  requestId: string,
): Promise<ConfirmationState | undefined> {
  const rows = await sql(
    em,
    `select contact.metadata, list.name as list_name, ${SENDER_NAME} as sender_name, ${BRAND} as brand
     from contacts contact
     left join confirmation_requests request
       on request.contact_id = contact.id and request.id = $2::uuid and request.email_key = contact.email_key
     left join lists list on list.id = request.list_id
     where contact.id = $1::uuid`,
    [contactId, requestId],
  )
  return toObjects<ConfirmationState>(rows)[0]
}
