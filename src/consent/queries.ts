import type { SuppressionReason } from '../contacts/index.ts'
import type { LinkOf } from '../signed-links/index.ts'
import type { Delivery } from '../outbox/index.ts'
import { RECIPIENT } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isBehind, microsOf, type Place } from '../platform/db/newest-page.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { listBegunBy } from '../triggers/index.ts'

export interface SuppressionRow {
  id: string
  /** `null` where its contact was erased. */
  email: string | null
  reason: SuppressionReason
  note: string | null
  createdAt: Date
  place: Place
}

interface Row {
  id: string
  email: string | null
  reason: SuppressionReason
  note: string | null
  created_at: string
  micros: string
}

const COLUMNS = `id, email, reason, note, created_at, ${microsOf('created_at')}`

const toSuppression = (row: Row): SuppressionRow => ({
  id: row.id,
  email: row.email,
  reason: row.reason,
  note: row.note,
  createdAt: toDate(row.created_at),
  place: { micros: row.micros, id: row.id },
})

/** Whether somebody of a workspace has an address. */
export async function hasContact(em: EntityManager, workspaceId: string, key: string): Promise<boolean> {
  const rows = await sql(em, 'select from contacts where workspace_id = $1::uuid and email_key = $2', [
    workspaceId,
    key,
  ])
  return rows.length > 0
}

/**
 * Locks whoever has an address. A claim of an email to her waits for the end of the transaction, and finds what it has changed.
 * @returns her id, if there is such a contact
 */
export async function lockByAddress(em: EntityManager, workspaceId: string, key: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>(
    em,
    'select id from contacts where workspace_id = $1::uuid and email_key = $2::text for update',
    [workspaceId, key],
  )
  return row?.id
}

/** The same by her id. @returns her address, and its form in which addresses are compared */
export async function lockContact(
  em: EntityManager,
  id: string,
): Promise<
  | { workspaceId: string; email: string; key: string; metadata: Record<string, unknown>; isUnconfirmed: boolean }
  | undefined
> {
  const [row] = await sql<{
    workspace_id: string
    email: string
    email_key: string
    metadata: Record<string, unknown>
    unconfirmed: boolean
  }>(em, 'select workspace_id, email, email_key, metadata, unconfirmed from contacts where id = $1::uuid for update', [
    id,
  ])
  return (
    row && {
      workspaceId: row.workspace_id,
      email: row.email,
      key: row.email_key,
      metadata: row.metadata,
      isUnconfirmed: row.unconfirmed,
    }
  )
}

export interface SuppressionWrite {
  id: string
  workspaceId: string
  email: string
  key: string
  reason: SuppressionReason
  note: string | null
}

/** Writes that an address is not to be mailed, once for each reason. @returns it, and whether it is new */
export async function insertSuppression(
  em: EntityManager,
  { id, workspaceId, email, key, reason, note }: SuppressionWrite,
): Promise<{ suppression: SuppressionRow; isNew: boolean }> {
  const [row] = await sql<Row & { is_new: boolean }>(
    em,
    `insert into suppressions as kept (id, workspace_id, address_hash, reason, email, note)
     values ($1::uuid, $2::uuid, address_hash($2::uuid, $4::text), $5::text, $3::text, $6::text)
     on conflict (workspace_id, address_hash, reason) do update
       set email = coalesce(kept.email, excluded.email), note = coalesce(excluded.note, kept.note)
     returning ${COLUMNS}, xmax = 0 as is_new`,
    [id, workspaceId, email, key, reason, note],
  )
  return { suppression: toSuppression(row!), isNew: row!.is_new }
}

/**
 * Counts that it has changed what may be sent to whoever has an address: whoever looked before claims nothing behind it.
 * @returns the ids of those contacts
 */
export async function countConsents(
  em: EntityManager,
  workspaceId: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `update contacts set consents = consents + 1 where id in (
       select id from contacts where workspace_id = $1::uuid and email_key = any($2::text[])
       order by email_key collate "C" for no key update
     ) returning id`,
    [workspaceId, keys],
  )
  return rows.map(({ id }) => id)
}

/**
 * The automations in which a contact is, and of which nothing more may be sent to her.
 *
 * @param of.all whether that is all mail; else those whose emails are all marketing
 * @param of.listId those alone into which the joining of this list has brought her
 * @param of.isRequest those that ask for it, instead
 */
export async function automationsToEnd(
  em: EntityManager,
  contactId: string,
  { all, listId = null, isRequest = false }: { all: boolean; listId?: string | null; isRequest?: boolean },
): Promise<string[]> {
  const rows = await sql<{ automation_id: string }>(
    em,
    `select enrollment.automation_id
     from enrollments enrollment
     join automations automation on automation.id = enrollment.automation_id
     join automation_versions version
       on version.automation_id = enrollment.automation_id and version.version = enrollment.version
     cross join lateral (
       select count(*) as emails, count(*) filter (where step ->> 'category' = 'transactional') as transactional
       from jsonb_array_elements(version.steps) step where step ->> 'type' = 'EMAIL'
     ) has
     where enrollment.contact_id = $1::uuid and enrollment.status = 'ACTIVE' and has.emails > 0
       and ($2::boolean or has.transactional = 0)
       and ($3::text is null or $3::text = ${listBegunBy(isRequest ? 'LIST_REQUESTED' : 'LIST_ADDED')})
     order by enrollment.automation_id`,
    [contactId, all, listId],
  )
  return rows.map(({ automation_id }) => automation_id)
}

/** A page of a workspace's suppressions, newest first. */
export async function suppressionPage(
  em: EntityManager,
  workspaceId: string,
  {
    key,
    reason,
    behind,
    limit,
  }: { key?: string | undefined; reason?: string | undefined; behind?: Place | undefined; limit: number },
): Promise<SuppressionRow[]> {
  const rows = await sql<Row>(
    em,
    `select ${COLUMNS} from suppressions
     where workspace_id = $1::uuid and ($2::text is null or address_hash = address_hash($1::uuid, $2::text))
       and ($3::text is null or reason = $3::text)
       and ${isBehind('created_at', '$4', '$5')}
     order by created_at desc, id desc limit $6`,
    [workspaceId, key ?? null, reason ?? null, behind?.micros ?? null, behind?.id ?? null, limit],
  )
  return rows.map(toSuppression)
}

/** Takes a suppression away. @returns whether there was one */
export async function deleteSuppression(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql(em, `delete from suppressions where id = $2::uuid and workspace_id = $1::uuid returning id`, [
    workspaceId,
    id,
  ])
  return rows.length > 0
}

/** Takes away what a contact has said herself: none of what others have found out. */
export async function deleteOwnWish(em: EntityManager, workspaceId: string, key: string): Promise<void> {
  await sql(
    em,
    `delete from suppressions where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)
       and reason in ('UNSUBSCRIBED', 'IMPORTED')`,
    [workspaceId, key],
  )
}

/** What a contact is sent, as she sees it. */
export interface Preferences {
  workspaceId: string
  /** Whether she gets no marketing, by her own wish. */
  isUnsubscribed: boolean
  /** The lists that she may see, and whether she is in them. */
  lists: { id: string; name: string; isIn: boolean }[]
  metadata: Record<string, unknown>
}

export async function readPreferences(em: EntityManager, contactId: string): Promise<Preferences | undefined> {
  const [row] = await sql<{
    workspace_id: string
    is_unsubscribed: boolean
    lists: Preferences['lists'] | null
    metadata: Record<string, unknown>
  }>(
    em,
    `select contact.workspace_id, contact.metadata,
       exists (
         select from suppressions where workspace_id = contact.workspace_id
           and address_hash = address_hash(contact.workspace_id, contact.email_key)
           and reason in ('UNSUBSCRIBED', 'IMPORTED')
       ) as is_unsubscribed,
       (
         select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'isIn', is_in) order by name, id) from (
           select list.id, list.name, member.contact_id is not null as is_in
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
  return (
    row && {
      workspaceId: row.workspace_id,
      isUnsubscribed: row.is_unsubscribed,
      lists: row.lists ?? [],
      metadata: row.metadata,
    }
  )
}

/** Takes a contact out of a list by her own wish. @returns whether she was in it */
export async function leaveByWish(em: EntityManager, listId: string, contactId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `with gone as (
       delete from list_members where list_id = $1::uuid and contact_id = $2::uuid returning list_id, contact_id
     )
     insert into list_opt_outs (list_id, contact_id) select list_id, contact_id from gone
     on conflict do nothing returning list_id`,
    [listId, contactId],
  )
  return rows.length > 0
}

/** Of a message: that somebody may have it, and its links. While it is being handed over, its recipient is not noted yet. */
const HAS_ARRIVED = `status in ('SENDING', 'SENT', 'CAPTURED', 'UNCONFIRMED', 'DISMISSED')`

/** What is kept of an erased contact's address: that it is not to be mailed, whose her links are, and nothing by which it is known. */
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
  // Her links go on as they were: of each address that she was mailed at.
  await sql(
    em,
    `insert into erased_contacts (contact_id, workspace_id, address_hash)
     select distinct contact.id, contact.workspace_id, address_hash(contact.workspace_id, key)
     from contacts contact cross join unnest($2::text[]) key
     where contact.id = $1::uuid
     on conflict do nothing`,
    [contactId, recipients.flatMap(({ recipient, was_mailed }) => (was_mailed ? [emailKey(recipient)] : []))],
  )
  await sql(
    em,
    `update suppressions set email = null, note = null from contacts contact
     where contact.id = $1::uuid and suppressions.workspace_id = contact.workspace_id and (
       address_hash = address_hash(contact.workspace_id, contact.email_key)
       -- Those that she had before, unless they are somebody else's by now.
       or address_hash in (
         select address_hash(contact.workspace_id, key) from unnest($2::text[]) key
         where not exists (
           select from contacts other
           where other.workspace_id = contact.workspace_id and other.email_key = key and other.id <> $1::uuid
         )
       )
     )`,
    [contactId, recipients.map(({ recipient }) => emailKey(recipient))],
  )
  return []
}

/** Puts a contact back into a list that she had left by herself. It starts nothing: she has asked for the list, not for its beginning. */
export async function joinByWish(em: EntityManager, listId: string, contactId: string): Promise<void> {
  await sql(
    em,
    `with back as (delete from list_opt_outs where list_id = $1::uuid and contact_id = $2::uuid returning list_id)
     insert into list_members (list_id, contact_id) select list_id, $2::uuid from back on conflict do nothing`,
    [listId, contactId],
  )
}

/** An address of an import, and why it is not to be mailed. */
export interface ImportedSuppression {
  id: string
  email: string
  key: string
  reason: SuppressionReason
  note: string | null
}

/**
 * Writes that many addresses are not to be mailed, and counts it where their contacts are. What is known already stays as it is.
 *
 * @param em a transaction in which the contacts are locked, or new
 * @returns how many of the addresses are new among the suppressed, all their contacts, those of the new ones who are in something, and the
 *   keys of addresses that no contact is seen to have
 */
export async function insertSuppressions(
  em: EntityManager,
  workspaceId: string,
  items: readonly ImportedSuppression[],
): Promise<{
  suppressed: number
  contactIds: string[]
  active: { contactId: string; reason: SuppressionReason }[]
  nobodys: string[]
}> {
  const rows = await sql<{
    contact_id: string | null
    key: string
    reason: SuppressionReason
    is_new: boolean
    is_active: boolean
  }>(
    em,
    `with items as materialized (
       select * from jsonb_to_recordset($2::jsonb) as item(id uuid, email text, key text, reason text, note text)
     ),
     added as (
       insert into suppressions (id, workspace_id, address_hash, reason, email, note)
       select id, $1::uuid, address_hash($1::uuid, key), reason, email, note from items
       order by address_hash($1::uuid, key), reason
       on conflict do nothing returning id
     ),
     counted as (
       update contacts set consents = consents + 1
       where workspace_id = $1::uuid and email_key in (select key from items join added using (id))
     )
     select contact.id as contact_id, items.key, items.reason, added.id is not null as is_new,
       added.id is not null and exists (select from enrollments where contact_id = contact.id and status = 'ACTIVE') as is_active
     from items left join added using (id)
     left join contacts contact on contact.workspace_id = $1::uuid and contact.email_key = items.key`,
    [workspaceId, JSON.stringify(items)],
  )
  return {
    suppressed: rows.filter(({ is_new }) => is_new).length,
    contactIds: rows.flatMap(({ contact_id }) => contact_id ?? []),
    active: rows.flatMap(({ contact_id, reason, is_active }) =>
      contact_id !== null && is_active ? [{ contactId: contact_id, reason }] : [],
    ),
    nobodys: rows.flatMap(({ contact_id, key }) => (contact_id === null ? [key] : [])),
  }
}

/** How many sequences those are in who have addresses, by the keys of these; none where somebody is in none. */
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

/** Asks contacts no more to confirm anything. @param em a transaction in which they are locked */
export async function dropRequests(em: EntityManager, contactIds: readonly string[]): Promise<void> {
  await sql(em, 'delete from list_requests where contact_id = any($1::uuid[])', [contactIds])
}

/** Of one enrollment, or one campaign, so many emails are looked at: hardly any has more. */
const MOST_LOOKED_AT = 100

/**
 * Whether a link went to the address that its contact has by now, and to which others it went.
 * @param key its form in which addresses are compared
 */
export async function addressesOfLink(
  em: EntityManager,
  { contactId, originId }: LinkOf,
  key: string,
): Promise<{ isHers: boolean; others: string[] }> {
  const rows = await sql<{ recipient: string }>(
    em,
    `select distinct ${RECIPIENT} as recipient from messages message join contacts contact on contact.id = message.contact_id
     where contact.id = $1::uuid and (enrollment_id = $2::uuid or campaign_id = $2::uuid) and ${HAS_ARRIVED}
     limit $3::integer`,
    [contactId, originId, MOST_LOOKED_AT],
  )
  return {
    isHers: rows.some(({ recipient }) => emailKey(recipient) === key),
    others: rows.flatMap(({ recipient }) => (emailKey(recipient) === key ? [] : [recipient])),
  }
}
