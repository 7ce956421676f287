import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** An event that an automation was told of for a contact. */
export interface HeardEventWrite {
  automationId: string
  contactId: string
  eventId: string
}

/**
 * Keeps which events automations were told of. Forgotten events are left out. The caller has locked the automations or the contacts.
 * @returns how many are new
 */
export async function keepHeard(em: EntityManager, heard: readonly HeardEventWrite[]): Promise<number> {
  if (heard.length === 0) return 0
  const rows = await sql(
    em,
    `insert into heard_events (automation_id, contact_id, event_id)
     select heard.automation_id, heard.contact_id, event.id
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) heard (automation_id, contact_id, event_id)
     join trigger_events event on event.id = heard.event_id order by 1, 2, 3
     on conflict do nothing returning event_id`,
    [
      heard.map(({ automationId }) => automationId),
      heard.map(({ contactId }) => contactId),
      heard.map(({ eventId }) => eventId),
    ],
  )
  return rows.length
}
