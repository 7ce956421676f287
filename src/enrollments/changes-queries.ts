import type { EnrollmentStatus } from '../automation-engine/index.ts'
import { CounterChanges, NO_STEP, writeCounterChanges } from '../counters/index.ts'
import { recordWebhookFacts, type WebhookFact } from '../webhooks/index.ts'
import { addTotals } from './totals-queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'

/** A change of an enrollment, as its statement returns it: the state before, `null` for a new one, and after, `null` if it is deleted. */
export interface EnrollmentChange {
  id: string
  workspace_id: string
  automation_id: string
  contact_id: string
  concurrency_key: string
  enrolled_at: string
  was_status: EnrollmentStatus | null
  was_paused: boolean | null
  was_next_step_id: string | null
  was_wakes_at: string | null
  status: EnrollmentStatus | null
  paused: boolean | null
  next_step_id: string | null
  wakes_at: string | null
}

/** SQL: the columns of an `EnrollmentChange`, for RETURNING. */
export const CHANGED = `${['id', 'workspace_id', 'automation_id', 'contact_id', 'concurrency_key', 'enrolled_at']
  .map((column) => `coalesce(new.${column}, old.${column}) as ${column}`)
  .join(', ')}, ${['status', 'paused', 'next_step_id', 'wakes_at']
  .map((column) => `old.${column} as was_${column}, new.${column} as ${column}`)
  .join(', ')}`

/** SQL: what an enrollment that ends no longer has, for SET. */
export const NOWHERE = 'paused = false, next_step_id = null, wakes_at = null'

type EnrollmentFact = Extract<WebhookFact, { enrollmentId: string }>

/** The events of the statuses in which enrollments end. STOPPED is an exit: an email was rejected. */
const EVENT_OF: Partial<Record<EnrollmentStatus, EnrollmentFact['type']>> = {
  COMPLETED: 'enrollment.completed',
  EXITED: 'enrollment.exited',
  STOPPED: 'enrollment.exited',
  GOAL_REACHED: 'enrollment.goal_reached',
  CANCELLED: 'enrollment.cancelled',
}

/**
 * Records for webhooks that enrollments started and ended, in the transaction that makes the changes. An enrollment can be recorded
 * after it has ended.
 */
export const recordChanges = (em: EntityManager, rows: readonly EnrollmentChange[]): Promise<void> =>
  recordWebhookFacts(
    em,
    rows.flatMap(({ id: enrollmentId, workspace_id: workspaceId, was_status, status }) => {
      const ended = status !== null && (was_status === null || was_status === 'ACTIVE') ? EVENT_OF[status] : undefined
      const types = [...(was_status === null ? (['enrollment.started'] as const) : []), ...(ended ? [ended] : [])]
      return types.map((type): EnrollmentFact => ({ type, workspaceId, enrollmentId }))
    }),
  )

/**
 * Counts changes of enrollments, in the transaction that makes them. Every statement that writes `enrollments` returns its changes
 * for this.
 *
 * Race: a process is stopped in its transaction, and holds the row of the automation's totals, for which all other enrollments of
 * the automation wait. Guard: this is sent together with the COMMIT (`pipelined`). Test: the simulation's world `double-opt-in`.
 */
export async function countChanges(em: EntityManager, rows: readonly EnrollmentChange[]): Promise<void> {
  const changes = new CounterChanges()
  for (const row of rows) {
    const { was_status: status, was_paused: paused, was_next_step_id: next_step_id, was_wakes_at: wakes_at } = row
    addEnrollment(changes, { ...row, status, paused, next_step_id, wakes_at }, -1)
    addEnrollment(changes, row, 1)
  }
  const isNew = ({ was_status, status }: EnrollmentChange) => was_status === null && status === 'ACTIVE'
  const isCompleted = ({ was_status, status }: EnrollmentChange) => was_status === 'ACTIVE' && status === 'COMPLETED'
  const idsOf = (some: readonly EnrollmentChange[]) => some.map(({ automation_id }) => automation_id)
  // Without waiting in between.
  await Promise.all([
    addTotals(em, { enrolled: idsOf(rows.filter(isNew)), completed: idsOf(rows.filter(isCompleted)) }),
    writeCounterChanges(em, changes),
  ])
}

/** An enrollment in one state. */
type CountedEnrollment = Pick<
  EnrollmentChange,
  'workspace_id' | 'automation_id' | 'enrolled_at' | 'status' | 'paused' | 'next_step_id' | 'wakes_at'
>

/** Adds enrollments that are in one state to the counters, or subtracts them. */
function addEnrollment(
  changes: CounterChanges,
  { workspace_id, automation_id, enrolled_at, status, paused, next_step_id, wakes_at }: CountedEnrollment,
  change: number,
): void {
  if (status === null) return
  const of = { workspaceId: workspace_id, automationId: automation_id }
  const whole = { ...of, stepId: NO_STEP, at: toDate(enrolled_at) }
  changes.add(whole, status, change)
  if (paused) changes.add(whole, 'PAUSED', change)
  if (wakes_at !== null)
    changes.add({ ...of, stepId: next_step_id ?? NO_STEP, at: toDate(wakes_at) }, 'WAITING', change)
}

/** Counts all enrollments again. */
export async function recountEnrollments(em: EntityManager, changes: CounterChanges): Promise<void> {
  const quarterOf = (time: string) => `date_bin('15 minutes', ${time}, timestamptz 'epoch') as ${time}`
  const rows = await sql<CountedEnrollment & { count: number }>(
    em,
    `select workspace_id, automation_id, ${quarterOf('enrolled_at')}, status, paused, next_step_id, ${quarterOf('wakes_at')},
       count(*)::integer
     from enrollments group by 1, 2, 3, 4, 5, 6, 7`,
  )
  for (const row of rows) addEnrollment(changes, row, row.count)
}
