import type { Place } from '../automation-engine/index.ts'
import { readActive, readProgress } from './active-queries.ts'
import { progressOf } from './progress.ts'
import { endActive } from './queries.ts'
import { readClockAhead } from '../workspaces/index.ts'
import type { Dependencies } from '../outbox/index.ts'

/**
 * Reconciles an ACTIVE enrollment with Temporal. If an operator ended its workflow, the enrollment also ends. If Temporal does
 * not know it, because Temporal's data is older than the database, it resumes from its last message; nothing is sent twice. If an
 * older enrollment's workflow runs in its place, that workflow is signalled, checks in the database that its enrollment has
 * ended, and starts this one. If it is paused while its automation sends, it is signalled to continue.
 *
 * Must run before a contact is enrolled, for the current enrollment. Otherwise the new enrollment would replace one that has
 * merely lost its workflow, and would start from the first step.
 *
 * @returns whether the contact is in the automation by that enrollment
 */
export async function isStillEnrolled(dependencies: Dependencies, id: string, place: Place): Promise<boolean> {
  const settled = await reconcileEnrollment(dependencies, id, place)
  return settled !== 'over' && settled !== 'ended'
}

/**
 * Result of a reconciliation. `running`: nothing to do. `woken`: signalled to continue. `resumed`: had lost its workflow and was
 * restarted. `over`: has ended already. `ended`: was ended because its workflow was.
 */
export type Reconciled = 'running' | 'woken' | 'resumed' | 'over' | 'ended'

/** Like `isStillEnrolled`, but returns what was done. */
export async function reconcileEnrollment(
  { em, enrollments, log, metrics }: Dependencies,
  id: string,
  place: Place,
): Promise<Reconciled> {
  const { automationId, contactId, concurrencyKey } = place
  const state = await enrollments.state(place, id)
  if (state === 'RUNNING') return 'running'
  const fork = em.fork()
  const active = await readActive(fork, id)
  // The enrollment and its workflow ended since it was read as active.
  if (!active) return 'over'
  if (state === 'PAUSED') {
    // A restored workflow may have missed the signal to continue. A second signal is harmless.
    if (!active.sends) return 'running'
    await enrollments.wake(place)
    return 'woken'
  }
  const ids = { enrollmentId: id, automationId, contactId }
  if (state === 'CLOSED') {
    log.warn(ids, 'Enrollment ended because its workflow was ended')
    await endActive(fork, id, 'CANCELLED', { cause: 'WORKFLOW_ENDED' })
    metrics.reconciled('ended')
    return 'ended'
  }
  log.warn(ids, 'Enrollment had lost its workflow; resumed')
  const { workspaceId, automationName, dedupKey, enrolledAt } = active
  const input = {
    ...ids,
    ...(concurrencyKey && { concurrencyKey }),
    workspaceId,
    enrolledAt: enrolledAt.toISOString(),
    clockAhead: await readClockAhead(fork, workspaceId),
    dedupKey,
    triggerEventId: null,
    resumeAfter: progressOf(await readProgress(fork, id), enrolledAt),
  }
  await enrollments.enter({ automationName, requestId: null, input }, id)
  metrics.reconciled('resumed')
  return 'resumed'
}
