import { emailKey } from '../platform/email-address.ts'
import { type ContactField, recordWebhookFacts } from '../webhooks/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, sql, toObjects } from '../platform/db/sql.ts'

/** A contact whose row is locked until the transaction ends. */
export interface LockedContact {
  id: string
  email: string
  emailKey: string
  isUnconfirmed: boolean
}

const LOCKED = 'id, email, email_key, unconfirmed as is_unconfirmed'

/**
 * Locks contacts of a workspace, by ID. A claim of an email to them waits for the end of the transaction. Until then, the
 * contacts' state that later statements read does not change: see docs/lock-order.md.
 */
export async function lockContacts(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<LockedContact[]> {
  const rows = await sql(
    em,
    `select ${LOCKED} from contacts where workspace_id = $1::uuid and id = any($2::uuid[])
     order by id for no key update`,
    [workspaceId, ids],
  )
  return toObjects<LockedContact>(rows)
}

/** How requests name contacts. */
export interface ContactNames {
  ids: readonly string[]
  externalIds: readonly string[]
  emailKeys: readonly string[]
}

/** A contact with everything by which a request can name it. */
export interface NamedRow {
  id: string
  externalId: string | null
  email: string
  emailKey: string
}

/** Finds contacts by any of their names, and locks their rows, by ID. */
export async function lockByNames(
  em: EntityManager,
  workspaceId: string,
  { ids, externalIds, emailKeys }: ContactNames,
): Promise<NamedRow[]> {
  if (ids.length + externalIds.length + emailKeys.length === 0) return []
  const rows = await sql(
    em,
    `select id, external_id, email, email_key from contacts where workspace_id = $1::uuid and id in (
       select id from unnest($2::uuid[]) id
       union select id from contacts where workspace_id = $1::uuid and external_id = any($3::text[])
       union select id from contacts where workspace_id = $1::uuid and email_key = any($4::text[])
     ) order by id for no key update`,
    [workspaceId, ids, externalIds, emailKeys],
  )
  return toObjects<NamedRow>(rows)
}

/** Locks contacts by normalized address. */
export async function lockContactsByKey(
  em: EntityManager,
  workspaceId: string,
  emailKeys: readonly string[],
): Promise<LockedContact[]> {
  const rows = await sql(
    em,
    `select ${LOCKED} from contacts where workspace_id = $1::uuid and email_key = any($2::text[])
     order by id for no key update`,
    [workspaceId, emailKeys],
  )
  return toObjects<LockedContact>(rows)
}

export interface ContactRow {
  id: string
  email: string
  email_key: string
  external_id: string | null
  first_name: string | null
  /** Whether `first_name` stays unchanged. An insert has no stored name to keep. */
  keeps_first_name: boolean
  metadata: Record<string, unknown>
  /** Keys to remove. */
  removed: readonly string[]
  unconfirmed: boolean
  /** The increment of `consent_version`. */
  consent_version: number
}

const ITEM = `item(id uuid, email text, email_key text, external_id text, first_name text, keeps_first_name boolean, metadata jsonb,
  removed jsonb, unconfirmed boolean, consent_version integer)`

/** SQL of the metadata of a row `contact` after an `item` was merged into it. */
const MERGED = `(contact.metadata || item.metadata) - array(select jsonb_array_elements_text(item.removed))`

/** SQL of `dates_written` of a row `contact` after metadata was merged into it, and keys removed from it. */
const datesWritten = (merged: string, removed: string): string => `(contact.dates_written - ${removed}) || (
  select coalesce(jsonb_object_agg(key, now()), '{}') from jsonb_each_text(${merged})
  where value ~ '^\\d{4}-\\d{2}-\\d{2}' and value is distinct from contact.metadata ->> key
)`

/**
 * Creates contacts. They are inserted in the order of their addresses, so that concurrent requests that create the same ones
 * wait for each other without a deadlock.
 *
 * @returns the IDs of those that were created; existing contacts stay unchanged
 */
export async function insertContacts(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactRow[],
): Promise<Set<string>> {
  if (contacts.length === 0) return new Set()
  const rows = await sql<{ id: string }>(
    em,
    `insert into contacts (id, workspace_id, email, email_key, external_id, first_name, metadata, unconfirmed)
     select id, $1::uuid, email, email_key, external_id, first_name, metadata, unconfirmed
     from jsonb_to_recordset($2::jsonb) as ${ITEM} order by email_key collate "C"
     on conflict (workspace_id, email_key) do nothing
     returning id`,
    [workspaceId, JSON.stringify(contacts)],
  )
  const created = new Set(rows.map(({ id }) => id))
  await recordWebhookFacts(
    em,
    [...created].map((contactId) => ({ type: 'contact.created', workspaceId, contactId })),
  )
  return created
}

interface ChangedContact {
  id: string
  workspaceId: string
  changed: ContactField[]
}

/** SQL: the columns of a `ChangedContact`, for RETURNING. */
const CHANGED = `new.id, new.workspace_id as "workspaceId", array_remove(array[
  case when new.email is distinct from old.email then 'email' end,
  case when new.external_id is distinct from old.external_id then 'externalId' end,
  case when new.first_name is distinct from old.first_name then 'firstName' end,
  case when new.metadata is distinct from old.metadata then 'metadata' end
], null) as changed`

const recordChanges = (em: EntityManager, contacts: readonly ChangedContact[]): Promise<void> =>
  recordWebhookFacts(
    em,
    contacts
      .filter(({ changed }) => changed.length > 0)
      .map(({ id, workspaceId, changed }) => ({ type: 'contact.updated', workspaceId, contactId: id, changed })),
  )

/** Records that the tags of contacts changed. */
const recordChangedTags = (em: EntityManager, workspaceId: string, contactIds: readonly string[]): Promise<void> =>
  recordChanges(
    em,
    [...new Set(contactIds)].map((id) => ({ id, workspaceId, changed: ['tags'] })),
  )

/** Updates locked contacts: given fields replace the stored ones, and metadata is merged. */
export async function updateContacts(em: EntityManager, contacts: readonly ContactRow[]): Promise<void> {
  if (contacts.length === 0) return
  const changed = await sql<ChangedContact>(
    em,
    `update contacts contact set
       email = item.email, email_key = item.email_key,
       external_id = coalesce(item.external_id, contact.external_id),
       first_name = case when item.keeps_first_name then contact.first_name else item.first_name end,
       metadata = ${MERGED}, dates_written = ${datesWritten('item.metadata', 'array(select jsonb_array_elements_text(item.removed))')},
       unconfirmed = item.unconfirmed, consent_version = contact.consent_version + item.consent_version, updated_at = now()
     from jsonb_to_recordset($1::jsonb) as ${ITEM}
     -- Named separately: Postgres estimates JSON at a hundred rows, and would scan a small table.
     where contact.id = any($2::uuid[]) and contact.id = item.id
       and (contact.email, contact.email_key, contact.external_id, contact.first_name, contact.metadata, contact.unconfirmed, 0)
         is distinct from (item.email, item.email_key, coalesce(item.external_id, contact.external_id),
           case when item.keeps_first_name then contact.first_name else item.first_name end, ${MERGED}, item.unconfirmed,
           item.consent_version)
     returning ${CHANGED}`,
    [JSON.stringify(contacts), contacts.map(({ id }) => id)],
  )
  await recordChanges(em, changed)
}

/** The bound of the constraint `contacts_metadata_size`. */
const MAX_STORED_BYTES = 90_000

/** Returns the addresses of the contacts whose metadata would be too large, together with what is stored. */
export async function oversizedContacts(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactRow[],
): Promise<string[]> {
  const rows = await sql<{ email_key: string }>(
    em,
    `select item.email_key from jsonb_to_recordset($2::jsonb) as ${ITEM}
     left join contacts stored on stored.workspace_id = $1::uuid and stored.email_key = item.email_key
     cross join lateral (select coalesce(stored.metadata, '{}') as metadata) contact
     where octet_length((${MERGED})::text) > $3`,
    [workspaceId, JSON.stringify(contacts), MAX_STORED_BYTES],
  )
  return rows.map(({ email_key }) => email_key)
}

/** Sets fields of a locked contact. */
export async function setFields(
  em: EntityManager,
  contactId: string,
  {
    email,
    externalId,
    firstName,
  }: { email?: string | undefined; externalId?: string | null | undefined; firstName?: string | null | undefined },
): Promise<void> {
  const columns = { email, email_key: email && emailKey(email), external_id: externalId, first_name: firstName }
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  const changed = await sql<ChangedContact>(
    em,
    `update contacts set ${given.map(([column], n) => `${column} = $${n + 2}`).join(', ')}, updated_at = now()
     where id = $1::uuid returning ${CHANGED}`,
    [contactId, ...given.map(([, value]) => value)],
  )
  await recordChanges(em, changed)
}

/** Merges metadata into a contact's. @returns whether there is such a contact */
export const mergeMetadata = (
  em: EntityManager,
  contactId: string,
  metadata: Record<string, unknown>,
  removedKeys: readonly string[],
): Promise<boolean> =>
  inTransaction(em, async (unit) => {
    const rows = await sql<ChangedContact>(
      unit,
      `update contacts contact set metadata = (metadata || $2::jsonb) - $3::text[], dates_written = ${datesWritten('$2::jsonb', '$3::text[]')},
         updated_at = now()
       where id = $1::uuid returning ${CHANGED}`,
      [contactId, JSON.stringify(metadata), removedKeys],
    )
    await recordChanges(unit, rows)
    return rows.length > 0
  })

/**
 * Finds conflicting external IDs. @returns the addresses of contacts whose external ID belongs to another contact, or to an
 * earlier one of these
 */
export async function findTakenExternalIds(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly { emailKey: string; externalId: string | null }[],
): Promise<Set<string>> {
  const given = contacts.filter(({ externalId }) => externalId !== null)
  if (given.length === 0) return new Set()
  const rows = await sql<{ external_id: string; email_key: string }>(
    em,
    'select external_id, email_key from contacts where workspace_id = $1::uuid and external_id = any($2::text[])',
    [workspaceId, given.map(({ externalId }) => externalId)],
  )
  const owners = new Map(rows.map(({ external_id, email_key }) => [external_id, email_key]))
  const taken = new Set<string>()
  for (const { emailKey, externalId } of given) {
    const owner = owners.get(externalId!)
    if (owner === undefined) owners.set(externalId!, emailKey)
    else if (owner !== emailKey) taken.add(emailKey)
  }
  return taken
}

/** Confirms locked contacts that a request to join a double opt-in list created. */
export async function confirmContacts(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql(
    em,
    'update contacts set unconfirmed = false, consent_version = consent_version + 1 where id = any($1::uuid[]) and unconfirmed',
    [ids],
  )
}

/** Increments the consent version, so that messages that are already prepared are not claimed. The contacts must be locked. */
export async function incrementConsentVersion(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql(em, 'update contacts set consent_version = consent_version + 1 where id = any($1::uuid[])', [ids])
}

/**
 * Increments the consent version of contacts that are not locked, by address. Includes contacts that had the address a moment ago:
 * an email to it may still be in flight.
 *
 * @returns their IDs
 */
export async function incrementConsentVersions(
  em: EntityManager,
  workspaceId: string,
  emailKeys: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `update contacts set consent_version = consent_version + 1 where id in (
       select id from contacts where workspace_id = $1::uuid and (email_key = any($2::text[]) or id = any(array(
         select contact_id from former_addresses
         where workspace_id = $1::uuid and email_key = any($2::text[]) and until > now() - interval '1 minute'
       )))
       order by id for no key update
     ) returning id`,
    [workspaceId, emailKeys],
  )
  return rows.map(({ id }) => id)
}

/** Reads the keys of the contacts' tags. */
export async function loadTagKeys(
  em: EntityManager,
  contactIds: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const tags = new Map<string, Set<string>>()
  if (contactIds.length === 0) return tags
  const rows = await sql<{ contact_id: string; tag_key: string }>(
    em,
    'select contact_id, tag_key from contact_tags where contact_id = any($1::uuid[]) order by contact_id, tag_key',
    [contactIds],
  )
  for (const { contact_id, tag_key } of rows) tags.set(contact_id, (tags.get(contact_id) ?? new Set()).add(tag_key))
  return tags
}

/** Adds tags to locked contacts that do not have them. */
export async function insertTags(
  em: EntityManager,
  workspaceId: string,
  tags: readonly { contactId: string; key: string; name: string }[],
): Promise<void> {
  if (tags.length === 0) return
  await sql(
    em,
    `insert into contact_tags (contact_id, workspace_id, tag_key, name)
     select contact_id, $1::uuid, tag_key, name from unnest($2::uuid[], $3::text[], $4::text[]) as tag(contact_id, tag_key, name)`,
    [workspaceId, tags.map(({ contactId }) => contactId), tags.map(({ key }) => key), tags.map(({ name }) => name)],
  )
  await recordChangedTags(
    em,
    workspaceId,
    tags.map(({ contactId }) => contactId),
  )
}

/** Removes tags from a contact. @returns whether it had one of them */
export const deleteTags = (
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  keys: readonly string[],
): Promise<boolean> =>
  inTransaction(em, async (unit) => {
    const rows = await sql(
      unit,
      `delete from contact_tags where contact_id = $1::uuid and workspace_id = $2::uuid and tag_key = any($3::text[])
       returning tag_key`,
      [contactId, workspaceId, keys],
    )
    if (rows.length > 0) await recordChangedTags(unit, workspaceId, [contactId])
    return rows.length > 0
  })

/** Stores the former address of a contact. */
export async function storeFormerAddress(em: EntityManager, contactId: string): Promise<void> {
  await sql(
    em,
    `insert into former_addresses (contact_id, until, workspace_id, email, email_key)
     select id, clock_timestamp(), workspace_id, email, email_key from contacts where id = $1::uuid`,
    [contactId],
  )
}
