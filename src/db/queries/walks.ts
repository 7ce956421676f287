import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'

interface EnrollmentOnPage {
  id: string
  contactId: string
  active: boolean
}

/** Enrollments of an automation in the order of their ids: all of them, or those that it holds. */
export async function enrollmentPage(
  em: EntityManager,
  { automationId, afterId, held }: { automationId: string; afterId: string | null; held: boolean },
  limit: number,
): Promise<EnrollmentOnPage[]> {
  const rows = await sql<{ id: string; contact_id: string; active: boolean }>(
    em,
    `select id, contact_id, status = 'ACTIVE' as active from enrollments
     where automation_id = $1::uuid and ($2::uuid is null or id > $2::uuid) ${held ? 'and held' : ''}
     order by id limit $3`,
    [automationId, afterId, limit],
  )
  return rows.map((row) => ({ id: row.id, contactId: row.contact_id, active: row.active }))
}

/** Removes enrollments of a deleted automation. An email of theirs that waits for another try will have none. */
export async function deleteEnrollments(em: EntityManager, ids: readonly string[]): Promise<void> {
  await sql(
    em,
    `update messages set status = 'FAILED', error = 'The automation was deleted before it could be sent'
     where enrollment_id = any($1::uuid[]) and status = 'DEFERRED'`,
    [ids],
  )
  await sql(em, `delete from enrollments where id = any($1::uuid[])`, [ids])
}

/** Removes an automation whose enrollments are gone, with its versions and counts. */
export async function removeAutomation(em: EntityManager, automationId: string): Promise<void> {
  await sql(em, `delete from automations where id = $1::uuid and deleted_at is not null`, [automationId])
}
