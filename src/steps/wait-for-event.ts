import { RECEIVED, type StepResult, type StoredStep, TIMED_OUT } from '../automation-engine/index.ts'
import { eventKeyOf } from '../automations/index.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import { isReachedBy, lockEnrollments } from '../enrollments/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { contactMatches } from '../segments/index.ts'
import { foldName } from '../triggers/index.ts'
import { eventsSince, finishRun, recordWait, type StepContext } from './queries.ts'
import { ContextChanged, type RunStep } from './runner.ts'

type StoredWaitForEvent = Extract<StoredStep, { type: 'WAIT_FOR_EVENT' }>
type WaitContext = StepContext & { step: StoredWaitForEvent }

/** Maximum number of events before the step that are compared with the filter, the newest first. */
const MAX_COMPARED_EVENTS = 100

/**
 * Looks for the event, and waits if it has not arrived. Runs again when the event arrives (`wakeWaiting` has recorded it then), and
 * at the end of the wait.
 *
 * An event that arrived since the contact entered counts. If an event started the enrollment, those after it count.
 *
 * Race: the event is stored while this looks for it. Guard: both lock the contact, the event exclusively. Either this sees the
 * event, or the event's transaction sees the waiting step and wakes it. Test: test/steps/events.test.ts.
 */
export const waitForEvent: RunStep<StoredWaitForEvent> = (dependencies, context, { now, clock }) =>
  dependencies.em.fork().transactional(async (em): Promise<StepResult> => {
    const { contactId, enrollmentId, step } = context
    await lockContactsAgainstErasure(em, [contactId])
    const enrollment = (await lockEnrollments(em, [enrollmentId])).get(enrollmentId)
    if (enrollment?.status !== 'ACTIVE') throw new ContextChanged()
    const until = context.until ?? new Date(now.getTime() + step.timeoutMinutes * 60_000)
    const eventKey = eventKeyOf(step.eventName)
    const recorded = await recordWait(em, context, { until, eventKey, filter: step.filter ?? null })
    // Race: a local activity that is too slow continues while Temporal starts a normal one, and finishes the step after this one has
    // read its context. Guard: `recordWait` changes no finished run, and the recorded result is returned. Test:
    // test/steps/overlapping-attempts.test.ts.
    if (!recorded) throw new ContextChanged()
    const eventId = typeof recorded['eventId'] === 'string' ? recorded['eventId'] : await findEvent(em, context, clock)
    const finished = (branch: string, detail: Record<string, unknown>) =>
      finishRun(em, context, { result: { next: 'continue', branch }, detail })
    if (eventId !== undefined) return finished(RECEIVED, { eventId })
    return now < until ? { next: 'retry', until: until.getTime() } : finished(TIMED_OUT, {})
  })

async function findEvent(em: EntityManager, context: WaitContext, at: Date): Promise<string | undefined> {
  const { step, workspaceId, contactId } = context
  const events = await eventsSince(em, context, foldName(step.eventName), MAX_COMPARED_EVENTS)
  for (const { id, data } of events) {
    if (!(await isReachedBy(em, context, data))) continue
    if (!step.filter) return id
    const filter = step.filter as unknown as Parameters<typeof contactMatches>[3]
    if (await contactMatches(em, workspaceId, contactId, filter, { at, eventData: data })) return id
  }
  return undefined
}
