import { findEnrollment, recordProcessedEvents } from '../enrollments/index.ts'
import { type Dependencies, enqueueForRelay } from '../outbox/index.ts'
import { newId } from '../platform/ids.ts'
import type { LostEvent } from '../triggers/index.ts'

/**
 * Delivers an event again that has reached Temporal and nothing came of, because its data are older than that. Nobody is started
 * twice by an event. Of a workflow that the ledger does not know, one that runs waits for a worker, and one that has ended since
 * was ended by an operator: what that has received is remembered instead. One that the ledger knows was over before the event, and
 * has nothing to say.
 *
 * @param isDry whether nothing is to be done
 * @returns whether it is delivered again, or would be
 */
export async function deliverAgain(
  { em, enrollments, log }: Dependencies,
  { workspaceId, eventId, automationId, contactId, createdAt }: LostEvent,
  isDry = false,
): Promise<boolean> {
  const last = await enrollments.lastWorkflow(automationId, contactId)
  const isUnknown = last?.enrollmentId !== undefined && !(await findEnrollment(em.fork(), last.enrollmentId))
  if (isUnknown && last.isRunning) return false
  if (isUnknown && last.endedAt && last.endedAt >= createdAt) {
    if (!isDry) await recordProcessedEvents(em.fork(), { automationId, contactId, eventIds: [eventId] })
    return false
  }
  if (isDry) return true
  log.warn({ eventId, automationId, contactId }, 'Temporal has lost an event, and is told of it again')
  const start = { kind: 'START', workspaceId, automationId, contactId, eventId, enrollmentId: newId() } as const
  await enqueueForRelay(em.fork(), [start])
  return true
}
