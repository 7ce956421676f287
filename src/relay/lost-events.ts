import { findEnrollment, recordProcessedEvents } from '../enrollments/index.ts'
import { type Dependencies, enqueueForRelay } from '../outbox/index.ts'
import { newId } from '../platform/ids.ts'
import type { LostEvent } from '../triggers/index.ts'

/**
 * Delivers an event again that reached Temporal without any effect, because Temporal's data is older. An event never starts an
 * enrollment twice. If Temporal has a workflow that the database does not know: a running one waits for a worker, and one that
 * has ended since was ended by an operator, so the event is recorded as processed. A workflow that the database knows ended
 * before the event, so it is irrelevant.
 *
 * @param isDry whether to change nothing
 * @returns whether the event is, or would be, delivered again
 */
export async function redeliverEvent(
  { em, enrollments, log }: Dependencies,
  { workspaceId, eventId, createdAt, ...place }: LostEvent,
  isDry = false,
): Promise<boolean> {
  const { automationId, contactId } = place
  const last = await enrollments.lastWorkflow(place)
  const isUnknown = last?.enrollmentId !== undefined && !(await findEnrollment(em.fork(), last.enrollmentId))
  if (isUnknown && last.isRunning) return false
  if (isUnknown && last.endedAt && last.endedAt >= createdAt) {
    if (!isDry) await recordProcessedEvents(em.fork(), { automationId, contactId, eventIds: [eventId] })
    return false
  }
  if (isDry) return true
  log.warn({ eventId, automationId, contactId }, 'Temporal has lost an event; delivering it again')
  const start = { kind: 'START', workspaceId, ...place, eventId, enrollmentId: newId() } as const
  await enqueueForRelay(em.fork(), [start])
  return true
}
