import { type Delivery, type DeliveryRow, toDelivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { deliveriesOf, writeTriggerEvents } from '../triggers/index.ts'

/** Where somebody stands who opens a link to confirm something. */
export interface Standing {
  /** The list that she is asked about; `null`: she is not any more. */
  listName: string | null
  metadata: Record<string, unknown>
}

/** @returns `undefined` where she is not there any more */
export async function readStanding(
  em: EntityManager,
  contactId: string,
  requestId: string,
): Promise<Standing | undefined> {
  const [row] = await sql<{ list_name: string | null; metadata: Record<string, unknown> }>(
    em,
    `select contact.metadata, list.name as list_name
     from contacts contact
     left join list_requests request
       on request.contact_id = contact.id and request.id = $2::uuid and request.email_key = contact.email_key
     left join lists list on list.id = request.list_id
     where contact.id = $1::uuid`,
    [contactId, requestId],
  )
  return row && { listName: row.list_name, metadata: row.metadata }
}

/**
 * Puts a contact into the list that she is asked about, with what that starts: she has joined it, and has signed up where all that
 * was known of her is that somebody typed her address.
 *
 * @param em a transaction in which she is locked
 * @returns `undefined` where she is not asked any more
 */
export async function joinByConfirming(
  em: EntityManager,
  of: { workspaceId: string; contactId: string; requestId: string; key: string; isUnconfirmed: boolean },
): Promise<{ listId: string; due: Delivery[] } | undefined> {
  const [row] = await sql<{ list_id: string; deliveries: DeliveryRow[] | null }>(em, CONFIRM, [
    of.workspaceId,
    of.contactId,
    of.requestId,
    of.key,
    of.isUnconfirmed,
  ])
  return row && { listId: row.list_id, due: (row.deliveries ?? []).map(toDelivery) }
}

const CONFIRM = `
with request as (
  delete from list_requests where id = $3::uuid and contact_id = $2::uuid and email_key = $4::text
  returning list_id, contact_id
),
back as (
  delete from list_opt_outs out using request where out.list_id = request.list_id and out.contact_id = request.contact_id
),
joined as (
  insert into list_members (list_id, contact_id) select list_id, contact_id from request
  on conflict do nothing returning list_id, contact_id
),
known as (
  update contacts set unconfirmed = false where id = (select contact_id from request) and unconfirmed
),
happened as (
  select contact_id, 'SIGNUP' as type, '' as key from request where $5::boolean
  union all
  select contact_id, 'LIST_ADDED', list_id::text from joined
  union all
  -- What she was tagged with before her sign-up, which is now.
  select tag.contact_id, 'TAG_ADDED', tag.tag_key from contact_tags tag join request using (contact_id) where $5::boolean
),
${writeTriggerEvents({ workspace: '$1', request: 'null', bulk: 'false' })}
select list_id, ${deliveriesOf('request.contact_id')} as deliveries from request`
