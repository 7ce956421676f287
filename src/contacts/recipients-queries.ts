import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import type { SuppressionReason } from './suppression.ts'

/** A contact from the perspective of a message: the address, and the facts that may suppress the message. */
export interface Recipient {
  contactId: string
  email: string
  firstName: string | null
  externalId: string | null
  metadata: Record<string, unknown>
  createdAt: Date
  /** The time zone of the workspace. */
  timezone: string
  /** Changes whenever what may be sent to the contact changes: a claim compares it (optimistic lock). */
  consentVersion: number
  /** Why the contact's address is suppressed. */
  suppressions: readonly SuppressionReason[]
  /** The lists that the contact has left. */
  optOutListIds: readonly string[]
  /** Whether the contact has signed up but not confirmed the sign-up. */
  isUnconfirmed: boolean
  isInAnyList: boolean
}

/** Reads recipients by contact ID, each from one snapshot. Contacts that are deleted or in another workspace are left out. */
export async function readRecipients(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, Recipient>> {
  if (ids.length === 0) return new Map()
  const recipients = toObjects<Recipient>(
    await preparedSql(em, 'read-recipients', RECIPIENTS, [workspaceId, ids]),
    'createdAt',
  )
  return new Map(recipients.map((recipient) => [recipient.contactId, recipient]))
}

const RECIPIENTS = `
select contact.id as contact_id, contact.email, contact.first_name, contact.external_id, contact.metadata, contact.created_at,
  contact.consent_version as consent_version, contact.unconfirmed as is_unconfirmed,
  (select timezone from workspaces where id = contact.workspace_id) as timezone,
  array(
    select reason from suppressions
    where workspace_id = contact.workspace_id and address_hash = address_hash(contact.workspace_id, contact.email_key)
  ) as suppressions,
  array(select list_id::text from list_opt_outs where contact_id = contact.id) as opt_out_list_ids,
  contact.unconfirmed and exists (select from list_members where contact_id = contact.id) as is_in_any_list
from contacts contact where contact.workspace_id = $1::uuid and contact.id = any($2::uuid[])`

/** The names of a contact's tags and lists. */
export interface Groups {
  tags: readonly string[]
  lists: readonly string[]
}

/** Reads the names of the tags and lists of contacts of a workspace, by contact ID. */
export async function readGroups(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, Groups>> {
  const rows = await preparedSql<Groups & { id: string }>(em, 'read-groups', READ_GROUPS, [workspaceId, ids])
  return new Map(rows.map(({ id, tags, lists }) => [id, { tags, lists }]))
}

const READ_GROUPS = `
select id,
  array(select name from contact_tags where contact_id = contact.id order by tag_key) as tags,
  array(
    select lists.name from list_members join lists on lists.id = list_members.list_id
    where list_members.contact_id = contact.id order by lists.name, lists.id
  ) as lists
from contacts contact where workspace_id = $1::uuid and id = any($2::uuid[])`

/**
 * Locks contacts against erasure and against changes of their address and consent, in the order of their IDs, until the
 * transaction ends. Shared with other readers.
 */
export async function lockContactsShared(
  em: EntityManager,
  ids: readonly string[],
): Promise<Map<string, { email: string; consentVersion: number }>> {
  const rows = await preparedSql<{ id: string; email: string; consent_version: number }>(
    em,
    'share-contacts',
    'select id, email, consent_version from contacts where id = any($1::uuid[]) order by id for share',
    [ids],
  )
  return new Map(rows.map(({ id, email, consent_version }) => [id, { email, consentVersion: consent_version }]))
}

/** Locks contacts against erasure until the transaction ends, in the order of their IDs. @returns those that exist */
export async function lockContactsAgainstErasure(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  const rows = await preparedSql<{ id: string }>(
    em,
    'keep-contacts',
    'select id from contacts where id = any($1::uuid[]) order by id for key share',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The position of a workspace's last contact; 0 if there is none. Positions grow with each contact. */
export async function lastPosition(em: EntityManager, workspaceId: string): Promise<number> {
  const [row] = await sql<{ place: number }>(
    em,
    'select coalesce(max(place), 0)::float8 as place from contacts where workspace_id = $1::uuid',
    [workspaceId],
  )
  return row?.place ?? 0
}

/** An address as a message without a contact sees it. */
export type AddressFacts = Pick<Recipient, 'timezone' | 'suppressions'>

/** Reads why an address is suppressed, and the time zone of its workspace. */
export async function readAddress(em: EntityManager, workspaceId: string, emailKey: string): Promise<AddressFacts> {
  const rows = await preparedSql(em, 'read-address', ADDRESS, [workspaceId, emailKey])
  return toObjects<AddressFacts>(rows)[0] ?? { timezone: 'UTC', suppressions: [] }
}

const ADDRESS = `
select timezone,
  array(select reason from suppressions where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)) as suppressions
from workspaces where id = $1::uuid`

/** The contact that has an address. */
export interface Addressee {
  id: string
  /** The language in their metadata, such as `de-ch`; empty if unknown. */
  locale: string
}

/** Finds the contacts that have addresses, and locks them against erasure. @returns them by the key of the address */
export async function contactsByKey(
  em: EntityManager,
  workspaceId: string,
  emailKeys: readonly string[],
): Promise<Map<string, Addressee>> {
  const rows = await preparedSql<Addressee & { email_key: string }>(em, 'contacts-by-key', BY_KEY, [
    workspaceId,
    emailKeys,
  ])
  return new Map(rows.map(({ email_key: key, id, locale }) => [key, { id, locale }]))
}

const BY_KEY = `
select email_key, id, lower(replace(coalesce(metadata ->> 'locale', ''), '_', '-')) as locale
from contacts where workspace_id = $1::uuid and email_key = any($2::text[]) order by id for key share`

/** Reads the keys of all addresses that a contact has or had. */
export async function addressKeysOf(em: EntityManager, contactId: string): Promise<string[]> {
  const rows = await sql<{ email_key: string }>(
    em,
    `select email_key from contacts where id = $1::uuid
     union select email_key from former_addresses where contact_id = $1::uuid`,
    [contactId],
  )
  return rows.map(({ email_key: key }) => key)
}
