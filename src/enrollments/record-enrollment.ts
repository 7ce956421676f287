import { lockAutomationsShared } from '../automations/index.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import { dismissMessages, ENROLLMENT_ENDED } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined } from '../platform/db/sql.ts'
import type { EndStatus, EnrollmentStatus, ReceivedEvents } from '../automation-engine/index.ts'
import { recordProcessedEvent } from '../triggers/index.ts'
import { causeOf, type EndCause, type WorkflowEnd } from './end-cause.ts'
import { countChanges, recordChanges } from './changes-queries.ts'
import { hasPassedVersionWith } from './version-queries.ts'
import { statusOf } from './leave-queries.ts'
import {
  endActive,
  type EnrollmentWrite,
  findActive,
  insertEnrollment,
  isAutomationDeleted,
  readRecordState,
} from './queries.ts'
import { planRecording } from './record-rules.ts'
import { refuseEntry } from './refuse-entry.ts'

/** Maximum attempts to record an enrollment while others are recorded concurrently. */
const MAX_ATTEMPTS = 3

/**
 * Records an enrollment and counts it, exactly once, although both the API (after the start of the workflow) and the workflow
 * call this.
 *
 * Another enrollment of the contact that is still ACTIVE has lost its workflow (for example, an operator terminated it), because
 * only one can run. It is ended.
 *
 * @param options.supersedes whether the caller is the enrollment's own workflow, so that no other can be running
 * @returns its status; `undefined` if it is not recorded: see `planRecording`
 */
export async function recordEnrollment(
  em: EntityManager,
  write: EnrollmentWrite,
  { supersedes = true }: { supersedes?: boolean } = {},
): Promise<EnrollmentStatus | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const status = await tryToRecord(em, write, supersedes)
    if (status || !supersedes || attempt === MAX_ATTEMPTS) return status
    // Another enrollment was recorded concurrently. The next attempt sees and ends it.
    if ((await findActive(em, write)) === undefined) return undefined
  }
}

function tryToRecord(
  em: EntityManager,
  write: EnrollmentWrite,
  supersedes: boolean,
): Promise<EnrollmentStatus | undefined> {
  return pipelined(em, async (unit) => {
    // Ending an enrollment locks its contact, so the second statement sees that write.
    const [, state] = await Promise.all([
      lockContactsAgainstErasure(unit, [write.contactId]),
      readRecordState(unit, write),
    ])
    const enrollment = state && !state.recorded ? planRecording(state, write) : undefined
    if (!state || !enrollment) return () => Promise.resolve(state?.recorded ?? undefined)
    if ('refusedBy' in enrollment) {
      const { automationId, contactId, triggerEventId: eventId } = write
      // The event was acknowledged as an entry, so a decision has to say why it is none.
      if (eventId !== null)
        await refuseEntry(unit, state.workspaceId, enrollment.refusedBy, { automationId, contactId, eventId })
      return () => Promise.resolve(undefined)
    }
    if (supersedes && state?.otherActiveId)
      await endActive(unit, state.otherActiveId, 'CANCELLED', { cause: 'WORKFLOW_ENDED' })
    const inserted = await insertEnrollment(unit, write, enrollment)
    await recordChanges(unit, inserted)
    return async () => {
      await countChanges(unit, inserted)
      return inserted.length > 0 ? 'ACTIVE' : undefined
    }
  })
}

/** Stores the events that an enrollment processed, so that they start nothing if they are delivered again. Safe to repeat. */
export function recordProcessedEvents(
  em: EntityManager,
  { automationId, contactId, eventIds }: ReceivedEvents,
): Promise<void> {
  return em.transactional(async (unit) => {
    const automations = await lockAutomationsShared(unit, [automationId])
    const received = eventIds.map((eventId) => ({ automationId, contactId, eventId }))
    if (automations.has(automationId)) await recordProcessedEvent(unit, received)
  })
}

/**
 * Ends an enrollment, once, and stores the events that it processed.
 *
 * @param by what ended the workflow
 * @param entry how it was started. An enrollment that is cancelled before it was recorded is recorded as cancelled. Otherwise a
 *   late attempt to record it would enroll the contact, and end their present enrollment.
 * @returns the recorded status, which is another one if a rule or a request has ended it; `undefined` if it is deleted
 * @throws {Error} if it is active, and nothing explains the end
 */
export async function finishEnrollment(
  em: EntityManager,
  { status, by }: { status: EndStatus; by: WorkflowEnd },
  eventIds: readonly string[],
  entry: Omit<EnrollmentWrite, 'triggerEventId'>,
): Promise<EnrollmentStatus | undefined> {
  const { id: enrollmentId, automationId, contactId } = entry
  if (eventIds.length > 0) await recordProcessedEvents(em, { automationId, contactId, eventIds })
  const isDeleted = status === 'CANCELLED' && (await isAutomationDeleted(em, automationId))
  const cause = causeOf(status, by, isDeleted)
  if (cause === undefined) {
    const recorded = await statusOf(em, enrollmentId)
    if (recorded === 'ACTIVE') throw new Error('The workflow ended, but nothing has ended the enrollment')
    return recorded
  }
  const wasActive = await endActive(em, enrollmentId, status, cause)
  if (status !== 'COMPLETED') await dismissMessages(em, { enrollmentIds: [enrollmentId] }, ENROLLMENT_ENDED)
  if (wasActive) return status
  if (status !== 'CANCELLED' || cause === null) return statusOf(em, enrollmentId)
  await em.transactional((unit) => recordCancelled(unit, { ...entry, triggerEventId: null }, cause))
  // It may have been recorded in the meantime, and no workflow is left to end it.
  await endActive(em, enrollmentId, status, cause)
  return statusOf(em, enrollmentId)
}

/**
 * Ends an enrollment whose version does not have the step at which its workflow is: the restored database is older.
 *
 * Race: an attempt at a step is stopped, its enrollment moves to a version without that step, and the attempt continues. Guard: the
 * step is in an earlier version then, and the enrollment stays. Test: test/publishing/late-attempts.test.ts.
 */
export async function endWithoutStep(em: EntityManager, enrollmentId: string, stepId: string): Promise<void> {
  if (await hasPassedVersionWith(em, enrollmentId, stepId)) return
  if (await endActive(em, enrollmentId, 'CANCELLED', { cause: 'STEP_NOT_RESTORED' }))
    await dismissMessages(em, { enrollmentIds: [enrollmentId] }, ENROLLMENT_ENDED)
}

async function recordCancelled(em: EntityManager, write: EnrollmentWrite, endedBy: EndCause): Promise<void> {
  await lockContactsAgainstErasure(em, [write.contactId])
  const state = await readRecordState(em, write)
  if (!state?.hasContact || state.recorded) return
  const { version, activeVersion } = state.automation
  const inserted = await insertEnrollment(em, write, {
    workspaceId: state.workspaceId,
    version: activeVersion ?? version,
    status: 'CANCELLED',
    endedBy,
    trigger: null,
    triggerKey: null,
    event: null,
    depth: 0,
    keyPath: state.keyPath,
  })
  await recordChanges(em, inserted)
  await countChanges(em, inserted)
}
