import type { EnrollmentStatus } from '../automation-engine/index.ts'
import { CounterChanges, NO_STEP, writeCounterChanges } from '../counters/index.ts'
import { addTotals } from './totals-queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { toDate } from '../platform/db/sql.ts'

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
    const of = { workspaceId: row.workspace_id, automationId: row.automation_id }
    const count = (
      state: Pick<EnrollmentChange, 'status' | 'paused' | 'next_step_id' | 'wakes_at'>,
      change: number,
    ): void => {
      if (state.status === null) return
      const whole = { ...of, stepId: NO_STEP, at: toDate(row.enrolled_at) }
      changes.add(whole, state.status, change)
      if (state.paused) changes.add(whole, 'PAUSED', change)
      if (state.wakes_at !== null)
        changes.add({ ...of, stepId: state.next_step_id ?? NO_STEP, at: toDate(state.wakes_at) }, 'WAITING', change)
    }
    const { was_status: status, was_paused: paused, was_next_step_id: next_step_id, was_wakes_at: wakes_at } = row
    count({ status, paused, next_step_id, wakes_at }, -1)
    count(row, 1)
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
