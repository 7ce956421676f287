import type { EntityManager } from '../platform/db/orm.ts'
import { microsOf, newestPage, type NewestPage, type Place, toItems } from '../platform/db/newest-page.ts'
import { sql } from '../platform/db/sql.ts'
import type { EnrollmentStatus } from '../automation-engine/index.ts'

/** An enrollment, as a list shows it. */
export interface ListedEnrollment {
  id: string
  automationId: string
  contactId: string
  version: number
  status: EnrollmentStatus
  paused: boolean
  enrolledAt: Date
  endedAt: Date | null
  /** The email that is next; `null` where it has ended, or only its end is to come. */
  nextStepId: string | null
  /** When it goes on; `null` where it has ended. */
  nextAt: Date | null
  place: Place
}

const DATES = ['enrolledAt', 'endedAt', 'nextAt'] as const

const COLUMNS = `item.automation_id, item.contact_id, item.version, item.status, item.paused, item.ended_at,
  (select nullif(email_id, '00000000-0000-0000-0000-000000000000') from next_wakes where enrollment_id = item.id) as next_step_id,
  (select wakes_at from next_wakes where enrollment_id = item.id) as next_at`

/** Enrollments of an automation that is there, or of a contact, the last entered first. */
export async function enrollmentsOf(
  em: EntityManager,
  whose: { automationId: string } | { contactId: string },
  page: Pick<NewestPage, 'statuses' | 'behind' | 'limit'>,
): Promise<ListedEnrollment[]> {
  const [of, id] =
    'automationId' in whose
      ? ['item.automation_id = $1::uuid', whose.automationId]
      : ['item.contact_id = $1::uuid', whose.contactId]
  const parameters: unknown[] = [id]
  const text = newestPage({ table: 'enrollments', columns: COLUMNS, at: 'enrolled_at', of, ...page }, parameters)
  return toItems<ListedEnrollment>(await sql(em, text, parameters), ...DATES)
}

/** Where in a list, the next first, something stands. */
export interface NextPage {
  /** Only those who have this email before them. */
  stepId?: string | undefined
  behind?: Place | undefined
  limit: number
}

/** The ACTIVE enrollments of an automation, by when they go on: what is due is first. Their places are by that. */
export async function nextEnrollmentsOf(
  em: EntityManager,
  automationId: string,
  { stepId, behind, limit }: NextPage,
): Promise<ListedEnrollment[]> {
  const rows = await sql(em, NEXT, [automationId, stepId ?? null, behind?.micros ?? null, behind?.id ?? null, limit])
  return toItems<ListedEnrollment>(rows, ...DATES)
}

// Each email has its part of the index.
const NEXT = `
with email as (
  select $2::uuid as id where $2::uuid is not null
  union
  select distinct step_id from step_figures where automation_id = $1::uuid and $2::uuid is null
  union
  select distinct step_id from figure_changes where automation_id = $1::uuid and $2::uuid is null
)
select item.id, item.enrolled_at, item.automation_id, item.contact_id, item.version, item.status, item.paused, item.ended_at,
  nullif(wake.email_id, '00000000-0000-0000-0000-000000000000') as next_step_id, wake.wakes_at as next_at,
  ${microsOf('wake.wakes_at')}
from (
  select wake.* from email cross join lateral (
    select * from next_wakes wake
    where wake.automation_id = $1::uuid and wake.email_id = email.id
      and ($3::bigint is null
        or (wakes_at, enrollment_id) > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
    order by wakes_at, enrollment_id limit $5::integer
  ) wake
  order by wakes_at, enrollment_id limit $5::integer
) wake
join enrollments item on item.id = wake.enrollment_id
order by wake.wakes_at, wake.enrollment_id`
