import {
  type ContactInAutomation,
  type DueStep,
  type StepOutline,
  type Stop,
  stopAfter,
} from '../automation-engine/index.ts'
import { versionSteps } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined, preparedSql, sql, toDate } from '../platform/db/sql.ts'
import { CHANGED, countChanges, type EnrollmentChange } from './changes-queries.ts'

/** A step at which an enrollment is. */
interface AtStep {
  enrollmentId: string
  automationId: string
  version: number
  stepId: string
}

/**
 * Records where an enrollment continues after a step.
 *
 * @param passed.branch the branch that the step chose, if it has some
 * @param passed.at when the step was done, or when its wait ends
 */
export const advanceEnrollment = (
  em: EntityManager,
  passed: AtStep & { branch?: string | undefined; at: Date },
): Promise<void> => move(em, passed, (steps) => stopAfter(steps, passed))

/** Records until when an enrollment waits at a step. */
export const keepWaiting = (em: EntityManager, { until, ...at }: AtStep & { until: Date }): Promise<void> =>
  move(em, at, () => ({ stepId: at.stepId, at: until }))

/**
 * Records that an enrollment's wait ends earlier.
 *
 * @param waiting.stepId the step that waits
 */
export async function bringForward(
  em: EntityManager,
  { enrollmentId, stepId, until }: { enrollmentId: string; stepId: string; until: Date },
): Promise<void> {
  const [enrollment] = await sql<{ automation_id: string; version: number; next_step_id: string | null }>(
    em,
    `select automation_id, version, next_step_id from enrollments where id = $1::uuid and status = 'ACTIVE'`,
    [enrollmentId],
  )
  if (!enrollment) return
  const steps = await versionSteps(em, enrollment.automation_id, enrollment.version)
  const stop = enrollment.next_step_id === stepId ? { stepId, at: until } : stopAfter(steps, { stepId, at: until })
  const moved = await sql<EnrollmentChange>(
    em,
    `update enrollments set wakes_at = $3::timestamptz
     where id = $1::uuid and status = 'ACTIVE' and next_step_id is not distinct from $2::uuid and wakes_at > $3::timestamptz
     returning ${CHANGED}`,
    [enrollmentId, stop.stepId, stop.at.toISOString()],
  )
  await countChanges(em, moved)
}

/** Ends the waits of a contact's active enrollments in an automation now. @returns those that waited */
export async function endWaits(
  em: EntityManager,
  { automationId, contactId }: ContactInAutomation,
): Promise<{ enrollmentId: string; concurrencyKey: string }[]> {
  const moved = await sql<EnrollmentChange>(
    em,
    `update enrollments set wakes_at = now()
     where automation_id = $1::uuid and contact_id = $2::uuid and status = 'ACTIVE' and wakes_at > now()
     returning ${CHANGED}`,
    [automationId, contactId],
  )
  await countChanges(em, moved)
  return moved.map(({ id, concurrency_key }) => ({ enrollmentId: id, concurrencyKey: concurrency_key }))
}

/** Returns the next step of an active enrollment, and when it is due. */
export async function dueStepOf(em: EntityManager, enrollmentId: string): Promise<DueStep | undefined> {
  const [row] = await sql<{ step_id: string | null; at: string }>(
    em,
    `select next_step_id as step_id, wakes_at as at from enrollments where id = $1::uuid and status = 'ACTIVE'`,
    [enrollmentId],
  )
  return row && { enrollmentId, stepId: row.step_id, at: toDate(row.at).getTime() }
}

/**
 * Returns when a step that has its result already is passed: not before the enrollment came to it, which can be long after the result, if
 * it moved to a version with another order of steps. That time is kept for another attempt.
 */
export async function passedAt(
  em: EntityManager,
  { enrollmentId, stepId }: { enrollmentId: string; stepId: string },
  result: Date,
): Promise<Date> {
  const [row] = await sql<{ reached: number | null }>(em, REACH, [enrollmentId, stepId])
  return new Date(Math.max(result.getTime(), row?.reached ?? 0))
}

const REACH = `
update enrollments set moved_to = case when next_step_id = $2::uuid and not moved_to -> 'reached' ? $2::uuid::text
  then jsonb_set(moved_to, array['reached', $2::uuid::text], to_jsonb(floor(extract(epoch from wakes_at) * 1000)))
  else moved_to end
where id = $1::uuid and status = 'ACTIVE' and moved_to -> 'passed' ? $2::uuid::text
returning (moved_to -> 'reached' ->> $2::uuid::text)::float8 as reached`

async function move(
  em: EntityManager,
  { enrollmentId, automationId, version, stepId }: AtStep,
  stopIn: (steps: readonly StepOutline[]) => Stop,
): Promise<void> {
  const steps = await versionSteps(em, automationId, version)
  const ids = steps.map(({ id }) => id)
  // On its way, an enrollment only comes to later steps of the list. So a late attempt at an earlier step, or in an earlier version,
  // does not move it back.
  const upToHere = ids.slice(0, ids.indexOf(stepId) + 1)
  const stop = stopIn(steps)
  await pipelined(em, async (unit) => {
    const moved = await preparedSql<EnrollmentChange>(unit, 'advance-enrollment', MOVE, [
      ...[enrollmentId, upToHere, stop.stepId, stop.at.toISOString(), version],
    ])
    return () => countChanges(unit, moved)
  })
}

const MOVE = `
update enrollments set next_step_id = $3::uuid, wakes_at = $4::timestamptz
where id = $1::uuid and status = 'ACTIVE' and version = $5::integer and next_step_id = any($2::uuid[])
  and (next_step_id, wakes_at) is distinct from ($3::uuid, $4::timestamptz)
returning ${CHANGED}`
