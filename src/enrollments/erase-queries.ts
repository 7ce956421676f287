import type { Place } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { CHANGED, countChanges, type EnrollmentChange } from './changes-queries.ts'

/** Locks the enrollments of a contact that is being erased: before their runs and messages, see docs/lock-order.md. */
export async function lockEnrollmentsOf(em: EntityManager, contactId: string): Promise<void> {
  await sql(em, 'select from enrollments where contact_id = $1::uuid order by id for update', [contactId])
}

/** Deletes the enrollments of a contact. @returns the places of those that were active */
export async function deleteEnrollmentsOf(em: EntityManager, contactId: string): Promise<Place[]> {
  const deleted = await sql<EnrollmentChange>(
    em,
    `delete from enrollments where contact_id = $1::uuid returning ${CHANGED}`,
    [contactId],
  )
  await countChanges(em, deleted)
  return deleted
    .filter(({ was_status: status }) => status === 'ACTIVE')
    .map((row) => ({
      automationId: row.automation_id,
      contactId: row.contact_id,
      concurrencyKey: row.concurrency_key,
    }))
}
