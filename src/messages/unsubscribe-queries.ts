import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** SQL condition on a message: the contact may have received it and its links. An in-flight message has no recipient yet. */
export const HAS_ARRIVED = `status in ('SENDING', 'SENT', 'CAPTURED', 'UNCONFIRMED', 'DISMISSED')`

/** Records that a contact unsubscribed because of a message. A second time changes nothing. */
export async function recordUnsubscribe(em: EntityManager, messageId: string): Promise<void> {
  await sql(em, 'insert into unsubscribes (message_id) values ($1::uuid) on conflict do nothing', [messageId])
}

/** Records the same for a link, which names no message: for the last one of its enrollment or campaign to the contact. */
export async function recordUnsubscribeByLink(
  em: EntityManager,
  { contactId, originId }: { contactId: string; originId: string },
): Promise<void> {
  await sql(
    em,
    `insert into unsubscribes (message_id)
     select id from messages
     where contact_id = $1::uuid and (enrollment_id = $2::uuid or campaign_id = $2::uuid) and ${HAS_ARRIVED}
     order by created_at desc, id desc limit 1
     on conflict do nothing`,
    [contactId, originId],
  )
}
