import type { StoredStep } from '../automation-engine/index.ts'
import { eventKeyOf } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readClockAhead } from '../workspaces/index.ts'
import { readStepContext } from './queries.ts'
import { changeAwaited, replaceResult } from './recompute-queries.ts'
import { endOfWait } from './wait-until.ts'

/**
 * Computes the wait of a step again, from when it began, after the enrollment moved to a version in which the step waits differently.
 * The next run of the step finds the new end.
 *
 * @param em the transaction that moves the enrollment, and has locked its contact
 * @param before the step in the earlier version
 */
export async function recomputeWait(em: EntityManager, enrollmentId: string, before: StoredStep): Promise<void> {
  const context = await readStepContext(em, enrollmentId, before.id)
  if (!context?.step || context.startedAt === null) return
  const { step, startedAt, workspaceId } = context
  if (step.type === 'WAIT_UNTIL') {
    const clock = new Date(startedAt.getTime() + (await readClockAhead(em, workspaceId)))
    await replaceResult(
      em,
      { enrollmentId, stepId: step.id },
      endOfWait({ ...context, step }, { now: startedAt, clock }),
    )
  }
  if (step.type === 'WAIT_FOR_EVENT' && before.type === 'WAIT_FOR_EVENT')
    await changeAwaited(em, {
      enrollmentId,
      stepId: step.id,
      minutes: step.timeoutMinutes - before.timeoutMinutes,
      eventKey: eventKeyOf(step.eventName),
      filter: step.filter ?? null,
    })
}
