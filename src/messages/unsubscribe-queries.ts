import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { recordUnsubscribe } from './record-results-queries.ts'

/** SQL condition on a `message`: it may have been sent. A message that was dismissed before it was sent has no Message-ID. */
export const MAY_BE_SENT = `(message.status in ('SENDING', 'SENT', 'UNCONFIRMED')
  or message.status = 'DISMISSED' and message.message_id is not null)`

/** SQL condition on a `message`: the contact may have received it and its links. An in-flight message has no recipient yet. */
export const HAS_ARRIVED = `(message.status = 'CAPTURED' or ${MAY_BE_SENT})`

/** Records an unsubscribe by a link, which names no message: for the last one of its enrollment or campaign to the contact. */
export async function recordUnsubscribeByLink(
  em: EntityManager,
  { contactId, originId }: { contactId: string; originId: string },
): Promise<void> {
  const [row] = await sql<{ id: string }>(
    em,
    `select id from messages message
     where contact_id = $1::uuid and (enrollment_id = $2::uuid or campaign_id = $2::uuid) and ${HAS_ARRIVED}
     order by created_at desc, id desc limit 1`,
    [contactId, originId],
  )
  if (row) await recordUnsubscribe(em, row.id)
}
