import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Events that an automation was told of for a contact. */
export interface HeardEvents {
  automationId: string
  contactId: string
  eventIds: readonly string[]
}

/**
 * Keeps which events an automation was told of for a contact. Forgotten events are left out. The caller has locked the automation.
 * @returns those that are new
 */
export async function keepHeard(
  em: EntityManager,
  { automationId, contactId, eventIds }: HeardEvents,
): Promise<string[]> {
  const rows = await sql<{ event_id: string }>(
    em,
    `insert into heard_events (automation_id, contact_id, event_id)
     select $1::uuid, $2::uuid, id from trigger_events where id = any($3::uuid[]) order by id
     on conflict do nothing returning event_id`,
    [automationId, contactId, eventIds],
  )
  return rows.map(({ event_id: eventId }) => eventId)
}
