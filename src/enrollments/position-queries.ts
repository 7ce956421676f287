import type { Stop } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import { CHANGED, countChanges, type EnrollmentChange } from './changes-queries.ts'
import type { MovedTo } from './moved-to.ts'

/** A step that an enrollment has passed, the branch that it chose, and when it was passed or its wait ends. */
export interface PassedStep {
  stepId: string
  branch?: string | undefined
  at: Date
}

/** An active enrollment and the results of its steps. */
export interface ActivePosition {
  id: string
  automationId: string
  version: number
  enrolledAt: Date
  movedTo: MovedTo | null
  passed: PassedStep[]
  /** The steps that wait, and until when. */
  waiting: { stepId: string; until: Date }[]
}

export interface StoredPassedStep {
  step_id: string
  branch: string | null
  at: string
}

interface Row {
  id: string
  automation_id: string
  version: number
  enrolled_at: string
  moved_to: MovedTo | null
  passed: StoredPassedStep[] | null
  waiting: { step_id: string; until: string }[] | null
}

/** Locks and reads a page of active enrollments, in the order of their IDs. */
export async function activePositions(
  em: EntityManager,
  afterId: string | null,
  limit: number,
): Promise<ActivePosition[]> {
  const rows = await sql<Row>(em, ACTIVE, [afterId, limit])
  return rows.map((row) => ({
    id: row.id,
    automationId: row.automation_id,
    version: row.version,
    enrolledAt: toDate(row.enrolled_at),
    movedTo: row.moved_to,
    passed: toPassed(row.passed),
    waiting: (row.waiting ?? []).map(({ step_id: stepId, until }) => ({ stepId, until: toDate(until) })),
  }))
}

/** Reads the passed steps of a row of `PASSED_STEPS`. */
export const toPassed = (steps: StoredPassedStep[] | null): PassedStep[] =>
  (steps ?? []).map(({ step_id: stepId, branch, at }) => ({ stepId, branch: branch ?? undefined, at: toDate(at) }))

/** Selects the steps that an `enrollment` has passed. */
export const PASSED_STEPS = `(
    select jsonb_agg(jsonb_build_object('step_id', step_id, 'branch', branch, 'at', at)) from (
      select step_id, null as branch, final_at as at from messages
      where enrollment_id = enrollment.id and final_at is not null
      union all
      select step_id, result ->> 'branch',
        coalesce(to_timestamp(coalesce(result ->> 'until', result ->> 'at')::float8 / 1000), finished_at)
      from step_runs where enrollment_id = enrollment.id and finished_at is not null
    ) passed
  )`

const ACTIVE = `
select enrollment.id, automation_id, version, enrolled_at, moved_to, ${PASSED_STEPS} as passed, (
    select jsonb_agg(jsonb_build_object('step_id', step_id, 'until', until)) from step_runs
    where enrollment_id = enrollment.id and finished_at is null and until is not null
  ) as waiting
from enrollments enrollment
where status = 'ACTIVE' and ($1::uuid is null or enrollment.id > $1::uuid)
order by enrollment.id limit $2
for no key update of enrollment`

/** Writes where enrollments are. The caller has locked them. */
export async function writePositions(em: EntityManager, positions: readonly (Stop & { id: string })[]): Promise<void> {
  const changed = await sql<EnrollmentChange>(
    em,
    `update enrollments enrollment set next_step_id = given.step_id, wakes_at = given.at
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as given(id, step_id, at)
     where enrollment.id = given.id and (enrollment.next_step_id, enrollment.wakes_at) is distinct from (given.step_id, given.at)
     returning ${CHANGED}`,
    [positions.map(({ id }) => id), positions.map(({ stepId }) => stepId), positions.map(({ at }) => at.toISOString())],
  )
  await countChanges(em, changed)
}
