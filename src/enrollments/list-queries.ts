import type { EntityManager } from '../platform/db/orm.ts'
import { newestPage, type NewestPage, type Place } from '../platform/db/newest-page.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import type { EnrollmentStatus } from '../sequences/index.ts'

/** An enrollment, as a list shows it. */
export interface ListedEnrollment {
  id: string
  automationId: string
  contactId: string
  version: number
  status: EnrollmentStatus
  held: boolean
  enrolledAt: Date
  endedAt: Date | null
  place: Place
}

interface ListedRow {
  id: string
  automation_id: string
  contact_id: string
  version: number
  status: EnrollmentStatus
  held: boolean
  enrolled_at: string
  ended_at: string | null
  micros: string
}

/** Enrollments of an automation that is there, the last entered first. */
export async function enrollmentsOf(
  em: EntityManager,
  automationId: string,
  page: Pick<NewestPage, 'statuses' | 'behind' | 'limit'>,
): Promise<ListedEnrollment[]> {
  const parameters: unknown[] = [automationId]
  const text = newestPage(
    {
      table: 'enrollments',
      columns: 'item.automation_id, item.contact_id, item.version, item.status, item.held, item.ended_at',
      at: 'enrolled_at',
      of: 'item.automation_id = $1::uuid',
      ...page,
    },
    parameters,
  )
  return (await sql<ListedRow>(em, text, parameters)).map(toListed)
}

const toListed = (row: ListedRow): ListedEnrollment => ({
  id: row.id,
  automationId: row.automation_id,
  contactId: row.contact_id,
  version: row.version,
  status: row.status,
  held: row.held,
  enrolledAt: toDate(row.enrolled_at),
  endedAt: row.ended_at === null ? null : toDate(row.ended_at),
  place: { micros: row.micros, id: row.id },
})
