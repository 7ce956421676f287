import { NO_STEP } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { microsOf, newestPage, type NewestPage, type Cursor, toItems } from '../platform/db/newest-page.ts'
import { sql } from '../platform/db/sql.ts'
import { type EnrollmentStatus, SENDING_STATUSES } from '../automation-engine/index.ts'

/** An enrollment in a list. */
export interface ListedEnrollment {
  id: string
  automationId: string
  contactId: string
  concurrencyKey: string
  version: number
  status: EnrollmentStatus
  paused: boolean
  enrolledAt: Date
  endedAt: Date | null
  /** The next step that is not a WAIT; `null` if the enrollment has ended, or no such step follows. */
  nextStepId: string | null
  /** When the enrollment continues; `null` if it has ended. */
  nextAt: Date | null
  place: Cursor
}

const DATES = ['enrolledAt', 'endedAt', 'nextAt'] as const

/** SQL: whether an enrollment waits because its automation does not send. Its mark stays until it sends again. */
const IS_PAUSED = `(item.paused and exists (
    select from automations where id = item.automation_id and status not in ${SENDING_STATUSES})) as paused`

const COLUMNS = `item.automation_id, item.contact_id, item.concurrency_key, item.version, item.status, ${IS_PAUSED}, item.ended_at,
  item.next_step_id, item.wakes_at as next_at`

/** Lists enrollments of an existing automation, or of a contact, most recent first. */
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

/** Position in a list that is sorted by the next due time. */
export interface NextPage {
  /** Only enrollments whose next step is this one. */
  stepId?: string | undefined
  behind?: Cursor | undefined
  limit: number
}

/** Lists the ACTIVE enrollments of an automation by when they continue, overdue ones first. The cursor is that time. */
export async function nextEnrollmentsOf(
  em: EntityManager,
  automationId: string,
  { stepId, behind, limit }: NextPage,
): Promise<ListedEnrollment[]> {
  const rows = await sql(em, NEXT, [automationId, stepId ?? null, behind?.micros ?? null, behind?.id ?? null, limit])
  return toItems<ListedEnrollment>(rows, ...DATES)
}

// Each step has its own range of the index.
const NEXT = `
with step as (
  select $2::uuid as id where $2::uuid is not null
  union
  select distinct step_id from step_counters where automation_id = $1::uuid and $2::uuid is null
  union
  select distinct step_id from counter_changes where automation_id = $1::uuid and $2::uuid is null
)
select item.id, item.enrolled_at, ${COLUMNS}, ${microsOf('item.wakes_at')}
from step cross join lateral (
  select * from enrollments
  where automation_id = $1::uuid and coalesce(next_step_id, '${NO_STEP}') = step.id and status = 'ACTIVE'
    and ($3::bigint is null
      or (wakes_at, enrollments.id) > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
  order by wakes_at, enrollments.id limit $5::integer
) item
order by item.wakes_at, item.id limit $5::integer`
