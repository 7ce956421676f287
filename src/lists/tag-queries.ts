import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { sql, unitOf } from '../platform/db/sql.ts'
import { ContactTag } from '../contacts/index.ts'
import { type Delivery, type DeliveryRow, toDelivery } from '../outbox/index.ts'
import { deliveriesOf, writeTriggerEvents } from '../triggers/index.ts'

export interface Tag {
  name: string
  contactCount: number
}

/** A page of a workspace's tags, in the order of the alphabet, and how many there are. */
export async function tagPage(
  em: EntityManager,
  workspaceId: string,
  { limit, offset }: Range,
): Promise<{ tags: Tag[]; total: number }> {
  const rows = await sql<{ total: number; name: string | null; count: number }>(
    em,
    `with used as materialized (
       select tag_key, min(name) as name, count(*)::float8 as count from contact_tags
       where workspace_id = $1::uuid group by tag_key
     )
     select counted.total, page.name, page.count
     from (select count(*)::float8 as total from used) counted
     left join (select * from used order by tag_key limit $2 offset $3) page on true
     order by page.tag_key`,
    [workspaceId, limit, offset],
  )
  return {
    tags: rows.flatMap(({ name, count }) => (name === null ? [] : [{ name, contactCount: count }])),
    total: rows[0]?.total ?? 0,
  }
}

/**
 * Gives a contact tags; those it has already stay as they are.
 * @returns what is pending for the automations that listen for it, or `undefined` when the workspace has no such contact.
 */
export async function addTags(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  tags: readonly { key: string; name: string }[],
  requestId: string | null,
): Promise<Delivery[] | undefined> {
  const rows = await sql<{ deliveries: DeliveryRow[] | null }>(em, ADD, [
    workspaceId,
    contactId,
    JSON.stringify(tags),
    false,
    requestId,
  ])
  if (rows.length === 0) return undefined
  return rows.flatMap(({ deliveries }) => (deliveries ?? []).map(toDelivery))
}

const ADD = `
with items as (
  select * from jsonb_to_recordset($3::jsonb) as item(key text, name text)
),
known as (
  select id, unconfirmed from contacts where id = $2::uuid and workspace_id = $1::uuid for no key update
),
tagged as (
  insert into contact_tags (contact_id, workspace_id, tag_key, name)
  select known.id, $1::uuid, items.key, items.name from known cross join items
  on conflict do nothing
  returning contact_id, tag_key
),
happened as (
  -- What begins with it begins with her sign-up, where that is still to come.
  select contact_id, 'TAG_ADDED' as type, tag_key as key from tagged join known on known.id = contact_id where not unconfirmed
),
${writeTriggerEvents({ workspace: '$1', request: '$5', bulk: '$4' })}
select ${deliveriesOf('known.id')} as deliveries from known`

/** Takes a tag from a contact. @returns whether it had it. */
export async function removeTag(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  key: string,
): Promise<boolean> {
  return (await unitOf(em).nativeDelete(ContactTag, { contactId, workspaceId, tagKey: key })) > 0
}
