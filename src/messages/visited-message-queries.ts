import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import type { MessageIdBeginning } from '../signed-links/index.ts'

/** A message whose link or image was requested. */
export interface VisitedMessage {
  id: string
  /** Whether the mail server has yet to accept it. */
  isInFlight: boolean
  secondsSinceSent: number
}

/**
 * Finds the message that a tracked link belongs to, and locks it until the end of the transaction.
 * @returns undefined if it was deleted
 */
export async function lockVisitedMessage(
  em: EntityManager,
  { contactId, messageIdBegins }: MessageIdBeginning,
): Promise<VisitedMessage | undefined> {
  const [row] = await preparedSql<{ id: string; is_in_flight: boolean; seconds: number }>(
    em,
    'lock-visited-message',
    `select id, status = 'SENDING' as is_in_flight,
       extract(epoch from clock_timestamp() - coalesce(sent_at, claimed_at))::float8 as seconds
     from messages where contact_id = $1::uuid and starts_with(message_id, '<' || $2::text)
     order by created_at desc limit 1 for no key update`,
    [contactId, messageIdBegins],
  )
  return row && { id: row.id, isInFlight: row.is_in_flight, secondsSinceSent: row.seconds }
}

/** Locks the messages that no other transaction has locked, in the order of their IDs. @returns their IDs */
export async function lockFreeMessages(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    'select id from messages where id = any($1::uuid[]) order by id for no key update skip locked',
    [ids],
  )
  return rows.map(({ id }) => id)
}
