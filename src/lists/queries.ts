import { MAX_LISTS_OF_CONTACT, requestLists } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import { type Delivery, type DeliveryRow, toDelivery } from '../outbox/index.ts'
import { deliveriesOf, writeTriggerEvents } from '../triggers/index.ts'

export interface List {
  id: string
  name: string
  description: string | null
  public: boolean
  doubleOptIn: boolean
  /** How many contacts are in it. */
  contactCount: number
  createdAt: Date
  updatedAt: Date
}

interface ListRow {
  id: string
  name: string
  description: string | null
  public: boolean
  double_opt_in: boolean
  contact_count: number
  created_at: string
  updated_at: string
}

const toList = (row: ListRow): List => ({
  id: row.id,
  name: row.name,
  description: row.description,
  public: row.public,
  doubleOptIn: row.double_opt_in,
  contactCount: row.contact_count,
  createdAt: toDate(row.created_at),
  updatedAt: toDate(row.updated_at),
})

const COLUMNS = `
list.id, list.name, list.description, list.public, list.double_opt_in, list.created_at, list.updated_at,
coalesce((select count from tallies where subject = list.id and block = 0), 0) as contact_count`

/** A page of a workspace's lists, newest first. */
export async function listPage(em: EntityManager, workspaceId: string, { limit, offset }: Range): Promise<List[]> {
  const rows = await sql<ListRow>(
    em,
    `select ${COLUMNS} from lists list where list.workspace_id = $1::uuid
     order by list.created_at desc, list.id desc limit $2 offset $3`,
    [workspaceId, limit, offset],
  )
  return rows.map(toList)
}

export async function findList(em: EntityManager, workspaceId: string, id: string): Promise<List | undefined> {
  const [row] = await sql<ListRow>(
    em,
    `select ${COLUMNS} from lists list where list.id = $2::uuid and list.workspace_id = $1::uuid`,
    [workspaceId, id],
  )
  return row && toList(row)
}

export interface Joined {
  contactId: string
  /** False where it was in the list before. */
  added: boolean
  /** Whether she is to confirm it, and is not in it before. */
  pending: boolean
  /** Whether she has left it by herself, and was not put back. */
  optedOut: boolean
  /** Whether her address was asked too often today to be asked again. */
  leftAlone: boolean
  /** The deliveries that follow from it. */
  deliveries: Delivery[]
}

/**
 * Puts contacts of the workspace into one of its lists, in one statement; who is not a contact of it is left out.
 * Contacts are locked in the order in which `upsertContacts` locks them.
 */
export async function joinList(
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactIds: readonly string[],
  options: { bulk: boolean; requestId: string | null; resubscribe: boolean; confirmed: boolean },
): Promise<Joined[]> {
  const rows = await sql<{
    id: string
    added: boolean
    pending: boolean
    opted_out: boolean
    left_alone: boolean
    deliveries: DeliveryRow[] | null
  }>(em, JOIN, [
    workspaceId,
    listId,
    contactIds,
    options.bulk,
    options.requestId,
    options.resubscribe,
    options.confirmed,
  ])
  return rows.map((row) => ({
    contactId: row.id,
    added: row.added,
    pending: row.pending,
    optedOut: row.opted_out,
    leftAlone: row.left_alone,
    deliveries: (row.deliveries ?? []).map(toDelivery),
  }))
}

const JOIN = `
with list as materialized (
  -- Whoever has it joined by confirming from now on waits for this, or this for that; and first, as where contacts are written.
  select list_asks($2::uuid) and not $7::boolean as asks
),
known as (
  select contacts.id, email_key from contacts cross join list where workspace_id = $1::uuid and contacts.id = any($3::uuid[])
  order by email_key collate "C" for no key update of contacts
),
back as (
  delete from list_opt_outs where list_id = $2::uuid and contact_id in (select id from known) and $6::boolean
    -- Until she has confirmed it, she has left it.
    and not (select asks from list)
),
staying_out as materialized (
  -- Behind her lock: who left while others were put into it has left.
  select id as contact_id from known where has_left($2::uuid, id) and (
    not $6::boolean
    -- What she has asked for was before that.
    or not exists (
      select from list_opt_outs
      where list_id = $2::uuid and contact_id = known.id and created_at = left_at($2::uuid, known.id)
    )
  )
),
joined as (
  insert into list_members (list_id, contact_id) select $2::uuid, id from known
  where id not in (select contact_id from staying_out) and not (select asks from list)
  on conflict do nothing
  returning contact_id
),
${requestLists('select $2::uuid as list_id, id as contact_id, email_key from known where (select asks from list)', '$6::boolean')},
-- Whoever puts her into a list knows her.
vouched as (
  update contacts set unconfirmed = false, consents = consents + 1
  where unconfirmed and (
    id in (select contact_id from joined)
    or ($7::boolean and id in (select id from known) and id not in (select contact_id from staying_out))
  )
  returning id
),
happened as (
  select contact_id, 'LIST_ADDED' as type, $2::text as key from joined
  union all
  select contact_id, 'LIST_REQUESTED', $2::text from requested
  union all
  select id, 'SIGNUP', '' from vouched
  union all
  -- What she was tagged with before her sign-up, which is now.
  select vouched.id, 'TAG_ADDED', tag_key from vouched cross join lateral tags_of(vouched.id) tag_key
),
${writeTriggerEvents({ workspace: '$1', request: '$5', bulk: '$4' })}
select known.id, joined.contact_id is not null as added, is_missing and is_asked as pending,
  is_missing and not is_asked as left_alone,
  known.id in (select contact_id from staying_out) as opted_out, ${deliveriesOf('known.id')} as deliveries
from known left join joined on joined.contact_id = known.id
cross join lateral (
  select (select asks from list) and known.id not in (select contact_id from staying_out)
      and not exists (select from list_members where list_id = $2::uuid and contact_id = known.id) as is_missing,
    known.id in (select contact_id from requested) or exists (
      select from list_requests where list_id = $2::uuid and contact_id = known.id and email_key = known.email_key
    ) as is_asked
) as of_her`

/** Which of these contacts are in so many lists that they can join no other than those. */
export async function fullMembers(
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from contacts contact where workspace_id = $1::uuid and id = any($3::uuid[])
       and not exists (select from list_members where list_id = $2::uuid and contact_id = contact.id)
       and (select count(*) from list_members where contact_id = contact.id) >= $4`,
    [workspaceId, listId, contactIds, MAX_LISTS_OF_CONTACT],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Takes a contact out of a list, or of those who are asked whether they want to be in it. @returns whether it was. */
export async function leaveList(
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactId: string,
): Promise<boolean> {
  const rows = await sql(
    em,
    `with list as (select id from lists where id = $2::uuid and workspace_id = $1::uuid),
     -- First, as whoever confirms it. What she is in decides what may be sent to her: whoever looked before claims nothing behind this.
     known as (
       update contacts set consents = consents + 1 where id = $3::uuid and workspace_id = $1::uuid returning id
     ),
     asked as (
       delete from list_requests using list, known
       where list_id = list.id and contact_id = known.id returning contact_id
     ),
     gone as (
       delete from list_members using list, known where list_id = list.id and contact_id = known.id returning contact_id
     )
     select contact_id from asked union select contact_id from gone`,
    [workspaceId, listId, contactId],
  )
  return rows.length > 0
}

/** Whether an ACTIVE automation asks whoever is to join a list to confirm it. */
export async function isAskedFor(em: EntityManager, workspaceId: string, listId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from automations where workspace_id = $1::uuid and status = 'ACTIVE' and deleted_at is null
       and trigger = 'LIST_REQUESTED' and trigger_key = $2::text limit 1`,
    [workspaceId, listId],
  )
  return rows.length > 0
}

/** Whether an automation starts whoever joins a list. */
export async function isListenedTo(em: EntityManager, workspaceId: string, listId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from automations where workspace_id = $1::uuid and status = 'ACTIVE' and deleted_at is null
       and trigger in ('LIST_ADDED', 'LIST_REQUESTED') and trigger_key = $2::text
     union all
     -- That somebody has left it counts until the last email.
     select from campaigns where workspace_id = $1::uuid and status in ('SCHEDULED', 'SENDING', 'PAUSED')
       and (audience -> 'listIds' ? $2::text or (audience #> '{exclude,listIds}' ? $2::text and not walked))
     union all
     select from campaigns campaign
     join segments segment on segment.workspace_id = campaign.workspace_id
       and (campaign.audience -> 'segmentIds' ? segment.id::text
         or campaign.audience #> '{exclude,segmentIds}' ? segment.id::text)
     where campaign.workspace_id = $1::uuid and campaign.status in ('SCHEDULED', 'SENDING', 'PAUSED') and not campaign.walked
       and position($2::text in segment.condition::text) > 0
     limit 1`,
    [workspaceId, listId],
  )
  return rows.length > 0
}

/** Has whoever joins a list from now on wait, until the transaction ends, and waits for those who do already. */
export async function waitForJoiners(em: EntityManager, listId: string): Promise<void> {
  await sql(em, 'select pg_advisory_xact_lock(list_key($1::uuid))', [listId])
}

/** Locks a list for whoever empties it: automations that are to listen for it wait, and whoever joins it does not. @returns whether it is there */
export async function lockList(em: EntityManager, workspaceId: string, listId: string): Promise<boolean> {
  const lock = `select from lists where id = $1::uuid and workspace_id = $2::uuid for no key update`
  return (await sql(em, lock, [listId, workspaceId])).length > 0
}

/** Says that a list is being deleted, or is not any more. */
export async function sayGoing(em: EntityManager, listId: string, isGoing: boolean): Promise<void> {
  await sql(em, `update lists set going_at = case when $2::boolean then now() end where id = $1::uuid`, [
    listId,
    isGoing,
  ])
}

/** Takes some contacts out of a list, and of those who are asked whether they want to be in it. @returns how many, of the more. */
export async function emptyList(em: EntityManager, listId: string, limit: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `with chosen as materialized (
       (select contact_id, true as is_in from list_members where list_id = $1::uuid limit $2)
       union all
       (select contact_id, false from list_requests where list_id = $1::uuid limit $2)
     ),
     -- As above.
     locked as materialized (
       select id from contacts where id in (select contact_id from chosen) order by email_key collate "C" for no key update
     ),
     known as (
       update contacts set consents = consents + 1 where id in (select id from locked) returning id
     ),
     gone as (
       delete from list_members where list_id = $1::uuid and contact_id in (select id from known)
         and contact_id in (select contact_id from chosen where is_in)
       returning contact_id
     ),
     asked as (
       delete from list_requests where list_id = $1::uuid and contact_id in (select id from known)
         and contact_id in (select contact_id from chosen where not is_in)
       returning contact_id
     )
     select greatest((select count(*) from gone), (select count(*) from asked))::integer as count`,
    [listId, limit],
  )
  return row?.count ?? 0
}
