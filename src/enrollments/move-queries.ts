import { type StepOutline, type Stop, stopAfter } from '../automation-engine/index.ts'
import { versionSteps } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined, preparedSql } from '../platform/db/sql.ts'
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
export const moveEnrollment = (
  em: EntityManager,
  passed: AtStep & { branch?: string | undefined; at: Date },
): Promise<void> => move(em, passed, (steps) => stopAfter(steps, passed))

/** Records until when an enrollment waits at a step. */
export const keepWaiting = (em: EntityManager, { until, ...at }: AtStep & { until: Date }): Promise<void> =>
  move(em, at, () => ({ stepId: at.stepId, at: until }))

async function move(
  em: EntityManager,
  { enrollmentId, automationId, version, stepId }: AtStep,
  stopIn: (steps: readonly StepOutline[]) => Stop,
): Promise<void> {
  const steps = await versionSteps(em, automationId, version)
  const ids = steps.map(({ id }) => id)
  // On its way, an enrollment only comes to later steps of the list. So a late attempt at an earlier step does not move it back.
  const upToHere = ids.slice(0, ids.indexOf(stepId) + 1)
  const stop = stopIn(steps)
  await pipelined(em, async (unit) => {
    const moved = await preparedSql<EnrollmentChange>(unit, 'move-enrollment', MOVE, [
      ...[enrollmentId, upToHere, stop.stepId, stop.at.toISOString()],
    ])
    return () => countChanges(unit, moved)
  })
}

const MOVE = `
update enrollments set next_step_id = $3::uuid, wakes_at = $4::timestamptz
where id = $1::uuid and status = 'ACTIVE' and next_step_id = any($2::uuid[])
  and (next_step_id, wakes_at) is distinct from ($3::uuid, $4::timestamptz)
returning ${CHANGED}`
