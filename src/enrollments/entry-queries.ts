import { eventDedupKey } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, toObjects } from '../platform/db/sql.ts'
import type { HeardEvent } from '../triggers/index.ts'

/** The most recent enrollment of a contact in an automation. */
export interface LastEntry {
  enrolledAt: Date
  isActive: boolean
}

/** Reads the most recent enrollment with a concurrency key. @param of.dedupKey the entry that is not counted */
export async function lastEntry(
  em: EntityManager,
  of: { automationId: string; contactId: string; concurrencyKey: string; dedupKey: string },
): Promise<LastEntry | undefined> {
  const rows = await preparedSql(em, 'last-entry', LAST, [
    of.automationId,
    of.contactId,
    of.concurrencyKey,
    of.dedupKey,
  ])
  return toObjects<LastEntry>(rows, 'enrolledAt')[0]
}

const LAST = `
select enrolled_at, status = 'ACTIVE' as is_active from enrollments
where contact_id = $2::uuid and automation_id = $1::uuid and concurrency_key = $3 and dedup_key is distinct from $4
order by status = 'ACTIVE' desc, enrolled_at desc limit 1`

/**
 * Reads in which of the matching automations each contact is, or will be by an earlier event: its start is pending, or no worker has
 * recorded its enrollment yet. After an hour without one, something has kept it from starting.
 *
 * @returns contact, automation and concurrency key, separated by spaces
 */
export async function readEnrolled(em: EntityManager, events: readonly HeardEvent[]): Promise<Set<string>> {
  const heard = events.filter(({ automations }) => automations.length > 0)
  if (heard.length === 0) return new Set()
  const rows = await preparedSql<{ place: string }>(
    em,
    'read-enrolled',
    `select contact_id || ' ' || automation_id || ' ' || concurrency_key as place from enrollments
     where contact_id = any($1::uuid[]) and automation_id = any($2::uuid[]) and status = 'ACTIVE'
     union
     select contact_id || ' ' || automation_id || ' ' || concurrency_key from outbox
     where contact_id = any($1::uuid[]) and automation_id = any($2::uuid[]) and kind = 'START'
     union
     select event.contact_id || ' ' || started.automation_id || ' ' || coalesce(started.concurrency_key, '')
     from trigger_events event
     cross join lateral unnest(automation_ids, concurrency_keys) started(automation_id, concurrency_key)
     where event.contact_id = any($1::uuid[]) and started.automation_id = any($2::uuid[])
       and created_at > now() - interval '1 hour'
       and not exists (
         select from enrollments
         where enrollments.automation_id = started.automation_id and dedup_key = '${eventDedupKey('')}' || event.id
       )
       and not exists (
         select from processed_events
         where processed_events.automation_id = started.automation_id and event_id = event.id
           and processed_events.contact_id = event.contact_id
       )`,
    [
      [...new Set(heard.map(({ contactId }) => contactId))],
      [...new Set(heard.flatMap(({ automations }) => automations.map(({ id }) => id)))],
    ],
  )
  return new Set(rows.map(({ place }) => place))
}
