import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** An event that an automation received for a contact. */
export interface ProcessedEventWrite {
  automationId: string
  contactId: string
  eventId: string
}

/**
 * Stores the events that automations received. Skips events that were deleted. The caller has locked the automations or the
 * contacts.
 * @returns the number of new ones
 */
export async function recordProcessedEvent(
  em: EntityManager,
  received: readonly ProcessedEventWrite[],
): Promise<number> {
  if (received.length === 0) return 0
  const rows = await sql(
    em,
    `insert into processed_events (automation_id, contact_id, event_id)
     select received.automation_id, received.contact_id, event.id
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) received (automation_id, contact_id, event_id)
     join trigger_events event on event.id = received.event_id order by 1, 2, 3
     on conflict do nothing returning event_id`,
    [
      received.map(({ automationId }) => automationId),
      received.map(({ contactId }) => contactId),
      received.map(({ eventId }) => eventId),
    ],
  )
  return rows.length
}
