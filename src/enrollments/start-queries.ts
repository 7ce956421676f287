import type { EntryRules } from '../automations/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, toObjects } from '../platform/db/sql.ts'

/** Data for starting an enrollment, in addition to its delivery. */
export interface Start {
  automationName: string
  /** The contact's active enrollment in the automation without a concurrency key, according to the database. */
  activeId: string | null
  /** The rules for who enters the automation. */
  entry: EntryRules
  /** Whether the entry was decided when the event was stored. */
  isDecided: boolean
  eventData: unknown
  /** Whether the automation asks the contact to confirm a list. */
  isAsking: boolean
  /** The request that caused the event. */
  requestId: string | null
}

/** Reads the data of the START deliveries among these, by delivery ID. There is none for a deleted automation. */
export async function readStarts(em: EntityManager, deliveries: readonly Delivery[]): Promise<Map<string, Start>> {
  const starts = deliveries.filter(({ kind }) => kind === 'START')
  if (starts.length === 0) return new Map()
  const rows = await preparedSql(em, 'read-starts', READ_STARTS, [
    starts.map(({ id }) => id),
    starts.map(({ automationId }) => automationId),
    starts.map(({ contactId }) => contactId),
    starts.map(({ eventId }) => eventId),
  ])
  return new Map(toObjects<Start & { id: string }>(rows).map(({ id, ...start }) => [id, start]))
}

const READ_STARTS = `
select delivery.id, automation.name as automation_name, automation.trigger = 'LIST_REQUESTED' as is_asking,
  (select id from enrollments
   where contact_id = delivery.contact_id and automation_id = automation.id and concurrency_key = '' and status = 'ACTIVE'
   limit 1) as active_id,
  automation.entry, event.request_id, event.data as event_data, coalesce(event.type = 'EVENT', false) as is_decided
from unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[]) as delivery(id, automation_id, contact_id, event_id)
join automations automation on automation.id = delivery.automation_id and automation.deleted_at is null
left join trigger_events event on event.id = delivery.event_id`
