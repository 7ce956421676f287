import { cancelRow, lastSettled, readActive, type ActiveEnrollment } from './active-queries.ts'
import type { Dependencies } from '../outbox/index.ts'

/**
 * Holds an enrollment that the ledger has as ACTIVE against Temporal. One that was ended by an operator ends here, too. One
 * that Temporal does not know, because its data are older than ours, goes on where it was: what was sent is in the ledger,
 * and is not sent again. Where an older enrollment's workflow runs in its place, that one is told, asks the ledger whether it
 * is over, and makes room. One that is paused, and whose automation sends, is told to go on.
 *
 * Whoever lets a contact in does this first, for the enrollment that is there: it would take the place of one that has only
 * lost its workflow, and begin from the top.
 *
 * @returns whether the contact is in the automation by that enrollment.
 */
export async function isStillEnrolled(dependencies: Dependencies, enrollment: EnrollmentIds): Promise<boolean> {
  const settled = await reconcileEnrollment(dependencies, enrollment)
  return settled !== 'over' && settled !== 'ended'
}

type EnrollmentIds = Pick<ActiveEnrollment, 'id' | 'automationId' | 'contactId'>

/**
 * What came of it: it was as it should be, or was told that it is not paused any more, or had lost its workflow and goes on
 * where it was; or it is over already, or was ended because its workflow was.
 */
export type Reconciled = 'running' | 'told' | 'resumed' | 'over' | 'ended'

/** The same, saying what was done. @see isStillEnrolled */
export async function reconcileEnrollment(
  { em, enrollments, log, metrics }: Dependencies,
  { id, automationId, contactId }: EnrollmentIds,
): Promise<Reconciled> {
  const state = await enrollments.state(automationId, contactId, id)
  if (state === 'RUNNING') return 'running'
  const fork = em.fork()
  const active = await readActive(fork, id)
  // It has ended since somebody read that it is active, and its workflow with it.
  if (!active) return 'over'
  if (state === 'PAUSED') {
    // A workflow from a backup was told to go on after that was made. Who is told twice looks twice.
    if (!active.sends) return 'running'
    await enrollments.automationChanged(automationId, contactId)
    return 'told'
  }
  const ids = { enrollmentId: id, automationId, contactId }
  if (state === 'CLOSED') {
    log.warn(ids, 'The workflow of an enrollment was ended; so is the enrollment')
    await cancelRow(fork, id)
    metrics.reconciled('ended')
    return 'ended'
  }
  log.warn(ids, 'An enrollment had lost its workflow, and goes on where it was')
  const { workspaceId, automationName, dedupKey, enrolledAt } = active
  const last = await lastSettled(fork, id)
  const input = {
    ...ids,
    workspaceId,
    enrolledAt: enrolledAt.toISOString(),
    dedupKey,
    triggerEventId: null,
    resumeAfter: { stepId: last?.stepId ?? null, at: (last?.at ?? enrolledAt).getTime() },
  }
  await enrollments.enter({ automationName, requestId: null, input }, id)
  metrics.reconciled('resumed')
  return 'resumed'
}
