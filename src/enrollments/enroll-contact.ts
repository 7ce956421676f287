import { AUTOMATION_NOT_ACTIVE } from '../automations/index.ts'
import { CONTACT_NOT_FOUND } from '../contacts/index.ts'
import { findActive, findEnrollable, findEnrollment, lockEntrance, type EnrollmentWrite } from './queries.ts'
import { recordEnrollment } from './record-enrollment.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { callDedupKey } from '../automation-engine/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { mergeMetadata, splitMetadata } from '../contacts/index.ts'
import type { EnrollmentStart, RunningEnrollment } from '../temporal/index.ts'
import { within } from '../platform/bulkhead.ts'
import type { Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'
import { isStillEnrolled } from './reconcile-enrollments.ts'

export interface EnrollResult {
  automationId: string
  contactId: string
  /** False when the contact is in the automation already; nothing has happened then. */
  enrolled: boolean
  enrolledAt: Date
}

/**
 * How many rows of one automation are written at a time, and how long a caller waits for its own, in milliseconds: an
 * automation whose rows are locked uses up neither the connections nor the time of the others.
 */
export const MAX_RECORDS_PER_BATCH = 4
const RECORD_PATIENCE_MS = 1_500

/**
 * Enrolls a contact by a call, whatever the automation's trigger says. The workflow's start
 * is the moment that counts: once it is made, the enrollment can't be lost, and the row is written here only so that
 * it can be read at once. If that fails, the workflow writes it.
 *
 * A call that is repeated enrolls once, and is told so each time: the enrollment has the call's id.
 */
export async function enrollContact(
  dependencies: Dependencies,
  workspaceId: string,
  automationId: string,
  { contactId, merge }: { contactId: string; merge?: Record<string, unknown> | undefined },
  call: Call,
): Promise<EnrollResult> {
  const { enrollments, log, recording } = dependencies
  const em = dependencies.em.fork()
  const earlier = call.retried ? await findEnrollment(em, call.id) : undefined
  if (earlier) return { automationId, contactId, enrolled: true, enrolledAt: earlier.enrolledAt }

  const found = isId(automationId)
    ? await findEnrollable(em, workspaceId, automationId, isId(contactId) ? contactId : null)
    : undefined
  if (!found) throw new ApiError(AUTOMATION_NOT_ACTIVE)
  if (!found.hasContact) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })

  if (merge) {
    const { set, removedKeys } = splitMetadata(merge)
    await mergeMetadata(em, contactId, set, removedKeys)
  }

  const enrolledAt = new Date()
  const write = {
    id: call.id,
    automationId,
    contactId,
    dedupKey: callDedupKey(call.id),
    triggerEventId: null,
    enrolledAt,
  }
  const start: EnrollmentStart = {
    automationName: found.automationName,
    requestId: call.requestId,
    input: {
      enrollmentId: call.id,
      workspaceId,
      automationId,
      contactId,
      enrolledAt: enrolledAt.toISOString(),
      dedupKey: write.dedupKey,
      triggerEventId: null,
    },
  }
  const answer = (enrolled: boolean) => ({ automationId, contactId, enrolled, enrolledAt })

  // Temporal decides. The ledger only hints at whether it is asked or told: a contact who seems to be in, seldom is not.
  const { activeId } = found
  const isIn = activeId !== null && (await isStillEnrolled(dependencies, { id: activeId, automationId, contactId }))
  if (isIn) return answer(activeId === call.id)
  const started = await enrollments.start(start)
  const other = started ? undefined : await enrollments.findRunning(automationId, contactId)
  // An earlier attempt of this call may have started it, and died.
  if (started || other?.enrollmentId === call.id) {
    try {
      const recorded = recording(automationId, () => recordStarted(em, write))
      const late = () => new Error('The row takes longer than a caller should wait')
      if (!(await within(RECORD_PATIENCE_MS, recorded, late))) throw await whatIsGone(em, workspaceId, write)
    } catch (error) {
      if (error instanceof ApiError) throw error
      log.warn({ error, enrollmentId: call.id }, 'An enrollment is left to its workflow to record')
    }
    return answer(true)
  }
  return answer(await enterBesides(em, dependencies, workspaceId, other, write, start))
}

/** Of automation and contact, who was there a moment ago. */
async function whatIsGone(em: EntityManager, workspaceId: string, write: EnrollmentWrite): Promise<ApiError> {
  const found = await findEnrollable(em, workspaceId, write.automationId, write.contactId)
  return found?.hasContact === false
    ? new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
    : new ApiError(AUTOMATION_NOT_ACTIVE)
}

/**
 * Records what has been started. Nobody waits for it for long, and meanwhile its workflow may have been ended, and the contact
 * be in anew: only a workflow itself knows that it runs, and puts out what the ledger has besides.
 *
 * @returns false where the automation or the contact is gone.
 */
async function recordStarted(em: EntityManager, write: EnrollmentWrite): Promise<boolean> {
  return (await recordUnlessIn(em, write)) !== 'nobody'
}

/** Lets a contact in, unless somebody is in for it already: `nobody` is where the automation or the contact is gone. */
async function recordUnlessIn(em: EntityManager, write: EnrollmentWrite): Promise<'recorded' | 'another' | 'nobody'> {
  // In one statement with the look whether somebody is in: a run that records itself in between is not put out.
  const isRecorded = async () => (await recordEnrollment(em, write, { supersedes: false })) !== undefined
  if (await isRecorded()) return 'recorded'
  if ((await findActive(em, write.automationId, write.contactId)) !== undefined) return 'another'
  // Once more, because who was in may have left between the two.
  return (await isRecorded()) ? 'recorded' : 'nobody'
}

/**
 * There is a workflow, and the ledger has nobody in. Either it has just been started, or it has nothing to do: what started
 * it was delivered once more, or its sequence is over and it is closing; or over by the ledger alone, because Temporal's data
 * are older. The ledger knows which, once it has recorded what the workflow itself would record; and a workflow with nothing
 * to do lets in whoever came meanwhile.
 */
async function enterBesides(
  em: EntityManager,
  { enrollments }: Dependencies,
  workspaceId: string,
  other: RunningEnrollment | undefined,
  write: EnrollmentWrite,
  start: EnrollmentStart,
): Promise<boolean> {
  const { automationId, contactId } = write
  const enters = await em.transactional(async (unit) => {
    await lockEntrance(unit, automationId, contactId)
    if (other) {
      const { enrollmentId: id, dedupKey, triggerEventId, enrolledAt } = other
      const theirs = { id, automationId, contactId, dedupKey, triggerEventId, enrolledAt: new Date(enrolledAt) }
      if ((await recordEnrollment(unit, theirs, { supersedes: false })) === 'ACTIVE') return false
    }
    const outcome = await recordUnlessIn(unit, write)
    if (outcome === 'nobody') throw await whatIsGone(unit, workspaceId, write)
    return outcome === 'recorded'
  })
  if (enters) await enrollments.enter(start, write.id)
  return enters
}
