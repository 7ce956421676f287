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
 * Reads in which of the matching automations each contact is, or will be when a pending start is delivered.
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
     where contact_id = any($1::uuid[]) and automation_id = any($2::uuid[]) and kind = 'START'`,
    [
      [...new Set(heard.map(({ contactId }) => contactId))],
      [...new Set(heard.flatMap(({ automations }) => automations.map(({ id }) => id)))],
    ],
  )
  return new Set(rows.map(({ place }) => place))
}
