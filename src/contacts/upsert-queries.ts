import type { EntityManager } from '../platform/db/orm.ts'
import { MAX_LISTS_OF_CONTACT, MAX_TAGS_OF_CONTACT, type ContactLimit } from './contact-limits.ts'
import { requestLists } from './list-request-queries.ts'
import { nullObject } from './metadata.ts'
import { removal, without } from './metadata-queries.ts'
import { sql } from '../platform/db/sql.ts'
import { type Delivery, type DeliveryRow, toDelivery } from '../outbox/index.ts'
import { deliveriesOf, writeTriggerEvents } from '../triggers/index.ts'

export interface ContactWrite {
  /** The id it gets if it is new. */
  id: string
  email: string
  emailKey: string
  /** `null` leaves an existing contact's as it is. */
  externalId: string | null
  /** `undefined` leaves an existing contact's as it is. */
  firstName: string | null | undefined
  /** Keys to set. */
  metadata: Record<string, unknown>
  /** Keys to remove. */
  removedKeys: string[]
  /** A list of the workspace to join; `null` for none. */
  listId: string | null
  /** Whether she has confirmed elsewhere that she wants to be in it: then she is not asked. */
  confirmed?: boolean
  /** Tags to get, no two with the same key. */
  tags: { key: string; name: string }[]
  /** Whether it starts nothing, whatever the others do. */
  quiet?: boolean
}

export interface WrittenContact {
  id: string
  created: boolean
  /** The deliveries that follow from what happened to it. */
  deliveries: Delivery[]
}

export interface UpsertOptions {
  /** Whether they are many: their deliveries are left to the relay, in the lane of bulk. */
  bulk: boolean
  /** Whether what happens to them starts the automations that listen for it. */
  triggers: boolean
  requestId: string | null
  /** Whether they are of a file: that is no word of theirs. */
  ofFile?: boolean
}

/**
 * Writes contacts in one statement, however many, with the list they join and the tags they get, and with them what
 * starts automations: only a change does.
 * No email may come twice (error 21000). Rows are written in the order of their key: concurrent calls that
 * share contacts wait for each other, and never in a circle.
 */
export async function upsertContacts(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactWrite[],
  options: UpsertOptions,
): Promise<WrittenContact[]> {
  const rows = await sql<{ id: string; created: boolean; deliveries: DeliveryRow[] | null }>(
    em,
    `${UPSERT} select written.id, written.created, ${deliveriesOf('written.id')} as deliveries from written`,
    parametersOf(workspaceId, contacts, options),
  )
  return rows.map(({ id, created, deliveries }) => ({ id, created, deliveries: (deliveries ?? []).map(toDelivery) }))
}

/** Does the same, and only counts what it did. */
export async function upsertAndCountContacts(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactWrite[],
  options: UpsertOptions,
): Promise<{ created: number; updated: number }> {
  const [row] = await sql<{ created: number; updated: number }>(
    em,
    `${UPSERT}
     select count(*) filter (where created)::integer as created,
       count(*) filter (where not created)::integer as updated
     from written`,
    parametersOf(workspaceId, contacts, options),
  )
  return row ?? { created: 0, updated: 0 }
}

/**
 * What an update needs to know beyond the new values (keys to remove, a first name to keep) comes as one object
 * by email, because `excluded` holds only what an insert would have written.
 */
function parametersOf(
  workspaceId: string,
  contacts: readonly ContactWrite[],
  { bulk, triggers, requestId, ofFile = false }: UpsertOptions,
): unknown[] {
  const updates: Record<string, { keepFirstName?: true; remove?: Record<string, null>; confirmed?: true }> =
    nullObject()
  for (const contact of contacts) {
    if (contact.firstName !== undefined && contact.removedKeys.length === 0 && !contact.confirmed) continue
    updates[contact.emailKey] = {
      ...(contact.firstName === undefined ? { keepFirstName: true } : {}),
      ...(contact.removedKeys.length > 0 ? { remove: removal(contact.removedKeys) } : {}),
      ...(contact.confirmed ? { confirmed: true } : {}),
    }
  }
  const items = contacts.map((contact) => ({
    id: contact.id,
    email: contact.email,
    email_key: contact.emailKey,
    external_id: contact.externalId,
    first_name: contact.firstName ?? null,
    metadata: contact.metadata,
    list_id: contact.listId,
    tags: contact.tags.length > 0 ? contact.tags : null,
    ...(contact.confirmed && { confirmed: true }),
    ...(contact.quiet && { quiet: true }),
  }))
  return [workspaceId, JSON.stringify(items), JSON.stringify(updates), bulk, requestId, triggers, ofFile]
}

const UPSERT = `
with asked_lists as materialized (
  -- Whoever has one joined by confirming from now on waits for this, or this for that.
  select id, list_asks(id) as double_opt_in from (
    select distinct (item ->> 'list_id')::uuid as id from jsonb_array_elements($2::jsonb) item
    where item ->> 'list_id' is not null order by id offset 0
  ) named
),
items as materialized (
  -- Of a list that is joined by confirming it: whether it asks for that.
  select item.*, coalesce(list.double_opt_in and item.confirmed is not true, false) as asks
  from (
    select item.id, email, email_key, external_id, first_name, metadata, tags, confirmed,
      case when out.is_out then null else list_id end as list_id, quiet or out.is_out as quiet
    from jsonb_to_recordset($2::jsonb) as item(
      id uuid, email text, email_key text, external_id text, first_name text, metadata jsonb, list_id uuid, tags jsonb, quiet boolean,
      confirmed boolean)
    -- A file is no word of hers: who wants no mail is put into nothing by it, and asked nothing.
    cross join lateral (
      select $7::boolean and exists (
        select from suppressions
        where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, item.email_key)
      ) as is_out
    ) out
  ) item
  left join asked_lists list on list.id = item.list_id
),
written as (
  insert into contacts as contact (id, workspace_id, email, email_key, external_id, first_name, metadata, unconfirmed)
  select id, $1::uuid, email, email_key, external_id, first_name, metadata, asks from items order by email_key collate "C"
  on conflict (workspace_id, email_key) do update set
    email = excluded.email,
    external_id = coalesce(excluded.external_id, contact.external_id),
    first_name = case
      when $3::jsonb -> excluded.email_key -> 'keepFirstName' is null then excluded.first_name
      else contact.first_name
    end,
    -- Whoever says that she has confirmed elsewhere knows her.
    unconfirmed = contact.unconfirmed and ($3::jsonb -> excluded.email_key -> 'confirmed') is null,
    vouched_in = case
      when contact.unconfirmed and ($3::jsonb -> excluded.email_key -> 'confirmed') is not null then pg_current_xact_id()
    end,
    metadata = ${without('(contact.metadata || excluded.metadata)', "($3::jsonb -> excluded.email_key -> 'remove')")},
    updated_at = now()
  returning id, email_key, xmax = 0 as created, unconfirmed, coalesce(vouched_in = pg_current_xact_id(), false) as vouched
),
joined as (
  insert into list_members (list_id, contact_id)
  select items.list_id, written.id from written join items using (email_key) where items.list_id is not null and not items.asks
    -- Who has left it by herself is put back by nobody who does not say so.
    and not has_left(items.list_id, written.id)
    and not ($7::boolean and wants_none($1::uuid, email_key))
  on conflict do nothing
  returning list_id, contact_id
),
-- Who has left a list of the kind by herself is asked, and is in it only when she has said so; by a file she is not.
${requestLists('select items.list_id, written.id as contact_id, email_key from written join items using (email_key) where items.asks and not ($7::boolean and wants_none($1::uuid, email_key))', 'not $7::boolean')},
tagged as (
  insert into contact_tags (contact_id, workspace_id, tag_key, name)
  select written.id, $1::uuid, tag ->> 'key', tag ->> 'name'
  from written join items using (email_key) cross join jsonb_array_elements(items.tags) tag
  where items.tags is not null
  on conflict do nothing
  returning contact_id, tag_key
),
-- Whoever puts her into a list that asks nothing knows her, and a trigger writes it behind this.
known as materialized (
  select id, created, unconfirmed and not is_put as unconfirmed, vouched or unconfirmed and is_put as vouched
  from (select written.*, id in (select contact_id from joined) as is_put from written) put
),
happened as (
  select * from (
    -- Who has to confirm something has not signed up yet.
    select known.id as contact_id, 'SIGNUP' as type, '' as key
    from known where not known.unconfirmed and (created or vouched)
    union all
    select contact_id, 'LIST_ADDED', list_id::text from joined
    union all
    select contact_id, 'LIST_REQUESTED', list_id::text from requested
    union all
    -- As what begins with her sign-up, that is when she has confirmed it.
    select contact_id, 'TAG_ADDED', tag_key from tagged join known on known.id = contact_id where not known.unconfirmed
    union
    -- And so is what she had been tagged with before.
    select known.id, 'TAG_ADDED', tag_key from known cross join lateral tags_of(known.id) tag_key where vouched
  ) changes
  where $6::boolean and not exists (
    select from written join items using (email_key)
    where written.id = changes.contact_id and (items.quiet or ($7::boolean and wants_none($1::uuid, email_key)))
  )
),
${writeTriggerEvents({ workspace: '$1', request: '$5', bulk: '$4' })}`

/** Whose externalId another contact has: the keys of their emails. */
export async function takenExternalIds(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactWrite[],
): Promise<string[]> {
  const items = contacts.map(({ emailKey, externalId }) => ({ email_key: emailKey, external_id: externalId }))
  const rows = await sql<{ email_key: string }>(
    em,
    `select item.email_key from jsonb_to_recordset($2::jsonb) as item(email_key text, external_id text)
     join contacts contact on contact.workspace_id = $1::uuid and contact.external_id = item.external_id
     where contact.email_key <> item.email_key`,
    [workspaceId, JSON.stringify(items)],
  )
  return rows.map(({ email_key }) => email_key)
}

/** The bound of the constraint `contacts_metadata_size`. */
const MAX_STORED_BYTES = 90_000

/**
 * Which of these contacts, by the key of their email, would be beyond which limit, together with what they have: some more
 * metadata, tags or lists than fit.
 */
export async function beyondLimits(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactWrite[],
): Promise<{ emailKey: string; limit: ContactLimit }[]> {
  const items = contacts.map(({ emailKey, metadata, removedKeys, tags, listId }) => ({
    email_key: emailKey,
    metadata,
    removed: removal(removedKeys),
    tags: tags.map(({ key }) => key),
    list_id: listId,
  }))
  const rows = await sql<{ email_key: string; beyond: ContactLimit }>(em, BEYOND, [
    workspaceId,
    JSON.stringify(items),
    MAX_STORED_BYTES,
    MAX_TAGS_OF_CONTACT,
    MAX_LISTS_OF_CONTACT,
  ])
  return rows.map((row) => ({ emailKey: row.email_key, limit: row.beyond }))
}

const BEYOND = `
with items as (
  select item.*, contact.id, coalesce(contact.metadata, '{}') as stored
  from jsonb_to_recordset($2::jsonb)
    as item(email_key text, metadata jsonb, removed jsonb, tags jsonb, list_id uuid)
  left join contacts contact on contact.workspace_id = $1::uuid and contact.email_key = item.email_key
),
judged as (
  select email_key, case
    when octet_length((${without('(stored || metadata)', 'removed')})::text) > $3
      then 'contacts_metadata_size'
    when tags <> '[]' and (
      select count(*) from (
        select tag_key from contact_tags where contact_id = items.id union select jsonb_array_elements_text(tags)
      ) its
    ) > $4 then 'contact_tags_most'
    when list_id is not null and (
      select count(*) from (
        select list_id from list_members where contact_id = items.id union select items.list_id
      ) its
    ) > $5 then 'list_members_most'
  end as beyond
  from items
)
select email_key, beyond from judged where beyond is not null`
