import { readClockAhead } from '../workspaces/index.ts'
import { AUTOMATION_NOT_ACTIVE, type EntryRules } from '../automations/index.ts'
import { CONTACT_NOT_FOUND } from '../contacts/index.ts'
import { findActive, findEnrollmentTarget, findEnrollment, lockEntrance, type EnrollmentWrite } from './queries.ts'
import { recordEnrollment } from './record-enrollment.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { callDedupKey, type Place } from '../automation-engine/index.ts'
import { ApiError, invalid } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { mergeMetadata, splitMetadata } from '../contacts/index.ts'
import type { EnrollmentStart, RunningEnrollment } from '../temporal/index.ts'
import { within } from '../platform/bulkhead.ts'
import type { Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'
import { type EntryRule, recordRefusedEntries } from '../triggers/index.ts'
import { decideEntry, hasConcurrencyKey, hashOfKey } from './entry-rules.ts'
import { isStillEnrolled } from './reconcile-enrollments.ts'

export interface EnrollResult {
  automationId: string
  contactId: string
  /** False if the contact is already in the automation. The call did nothing then. */
  enrolled: boolean
  /** The rule that kept the contact out, if one did. */
  refusedBy: EntryRule | null
  enrolledAt: Date
}

/**
 * Maximum concurrent writes to rows of one automation, and the milliseconds that a caller waits for its own. An automation whose
 * rows are locked uses up neither the connections nor the time of others.
 */
export const MAX_RECORDS_PER_BATCH = 4
const RECORD_PATIENCE_MS = 1_500

/**
 * Enrolls a contact by an API call, regardless of the automation's trigger. The start of the workflow is the commit point: after
 * it, the enrollment cannot be lost. The row is written here only so that it can be read immediately. If that fails, the workflow
 * writes it.
 *
 * A repeated call enrolls once and returns the same result, because the enrollment has the call's ID.
 */
export async function enrollContact(
  dependencies: Dependencies,
  workspaceId: string,
  automationId: string,
  {
    contactId,
    merge,
    key,
  }: { contactId: string; merge?: Record<string, unknown> | undefined; key?: string | undefined },
  call: Call,
): Promise<EnrollResult> {
  const { enrollments } = dependencies
  const em = dependencies.em.fork()
  const earlier = call.retried ? await findEnrollment(em, call.id) : undefined
  if (earlier) return { automationId, contactId, enrolled: true, refusedBy: null, enrolledAt: earlier.enrolledAt }

  const concurrencyKey = (key !== undefined && (await hashOfKey(em, key))) || ''
  const place = { automationId, contactId, concurrencyKey }
  const { automationName, activeId, entry } = await readTarget(em, workspaceId, place)
  assertKeyFits(entry, key)
  if (merge) {
    const { set, removedKeys } = splitMetadata(merge)
    await mergeMetadata(em, contactId, set, removedKeys)
  }

  const enrolledAt = new Date()
  const result = (enrolled: boolean, refusedBy: EntryRule | null = null) => ({
    automationId,
    contactId,
    enrolled,
    refusedBy,
    enrolledAt,
  })
  const dedupKey = callDedupKey(call.id)
  const admission = await decideEntry(em, entry, concurrencyKey, {
    workspaceId,
    automationId,
    contactId,
    dedupKey,
  })
  if ('refusedBy' in admission) {
    await recordRefusedEntries(em, workspaceId, admission.refusedBy, [{ automationId, contactId, eventId: null }])
    return result(false, admission.refusedBy)
  }
  const write = { id: call.id, ...place, dedupKey, triggerEventId: null, enrolledAt }
  const input = { ...inputOf(workspaceId, write), clockAhead: await readClockAhead(em, workspaceId) }
  const start = { automationName, requestId: call.requestId, input }

  // Temporal is authoritative. The database only hints at whether to start or to signal a workflow, but the hint is rarely wrong.
  const isEnrolled = activeId !== null && (await isStillEnrolled(dependencies, activeId, place))
  if (isEnrolled) return result(activeId === call.id)
  const started = await enrollments.start(start)
  const running = started ? undefined : await enrollments.findRunning(place)
  // An earlier attempt of this call may have started it before it crashed.
  const wasStartedBefore = running?.enrollmentId === call.id
  if (!started && !wasStartedBefore) {
    const outcome = await enrollBesideRunning(em, dependencies, workspaceId, running, write, start)
    if (outcome !== 'refused') return result(outcome === 'recorded')
  } else if (await recordInTime(em, dependencies, workspaceId, write)) return result(true)
  await recordRefusedEntries(em, workspaceId, 'REENTRY', [{ automationId, contactId, eventId: null }])
  return result(false, 'REENTRY')
}

/** Reads the automation and the contact. @throws {ApiError} if the automation enrolls no contacts, or one of them does not exist */
async function readTarget(em: EntityManager, workspaceId: string, { contactId, ...place }: Place) {
  const found = isId(place.automationId)
    ? await findEnrollmentTarget(em, workspaceId, { ...place, contactId: isId(contactId) ? contactId : null })
    : undefined
  if (!found) throw new ApiError(AUTOMATION_NOT_ACTIVE)
  if (!found.hasContact) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
  return found
}

/** Returns the input of an enrollment's workflow. */
const inputOf = (
  workspaceId: string,
  { id, enrolledAt, concurrencyKey, ...enrollment }: EnrollmentWrite,
): Omit<EnrollmentStart['input'], 'clockAhead'> => ({
  ...enrollment,
  ...(concurrencyKey && { concurrencyKey }),
  enrollmentId: id,
  workspaceId,
  enrolledAt: enrolledAt.toISOString(),
})

/**
 * Records a started enrollment. Leaves that to the workflow if it fails or takes too long.
 *
 * @returns false if the rule for entering again does not allow it: another enrollment has ended in the meantime
 * @throws {ApiError} if the automation or the contact was deleted in the meantime
 */
async function recordInTime(
  em: EntityManager,
  { recording, log }: Dependencies,
  workspaceId: string,
  write: EnrollmentWrite,
): Promise<boolean> {
  try {
    const recorded = recording(write.automationId, () => recordStarted(em, write))
    const late = () => new Error('Recording the enrollment takes too long')
    const isRecorded = await within(RECORD_PATIENCE_MS, recorded, late)
    if (isRecorded) return true
    await assertTarget(em, workspaceId, write)
    return false
  } catch (error) {
    if (error instanceof ApiError) throw error
    log.warn({ error, enrollmentId: write.id }, 'Could not record the enrollment; its workflow will')
    return true
  }
}

/** @throws {ApiError} `invalid` if the automation requires a key and there is none, or the other way round */
function assertKeyFits(entry: EntryRules, key: string | undefined): void {
  const isRequired = hasConcurrencyKey(entry)
  if (isRequired && key === undefined)
    throw invalid('key is required: entry.concurrency of the automation has one', '/key')
  if (!isRequired && key !== undefined)
    throw invalid('key is only for automations whose entry.concurrency has a key', '/key')
}

/** @throws {ApiError} if the automation or the contact was deleted in the meantime */
async function assertTarget(em: EntityManager, workspaceId: string, write: EnrollmentWrite): Promise<void> {
  const found = await findEnrollmentTarget(em, workspaceId, write)
  if (found?.hasContact === false) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
  if (!found) throw new ApiError(AUTOMATION_NOT_ACTIVE)
}

/**
 * Records a started enrollment. Gives up soon: in the meantime the workflow may have been ended and the contact enrolled again.
 * Only the workflow itself knows that it runs, and may replace another active row.
 *
 * @returns false if it must not be recorded: see `planRecording`
 */
async function recordStarted(em: EntityManager, write: EnrollmentWrite): Promise<boolean> {
  return (await recordUnlessEnrolled(em, write)) !== 'refused'
}

/** `another`: the contact has an active one. `refused`: it must not be recorded (see `planRecording`). */
type RecordOutcome = 'recorded' | 'another' | 'refused'

/** Records an enrollment, unless the contact has an active one. */
async function recordUnlessEnrolled(em: EntityManager, write: EnrollmentWrite): Promise<RecordOutcome> {
  // One statement checks and records, so that an enrollment recorded concurrently is not replaced.
  const isRecorded = async () => (await recordEnrollment(em, write, { supersedes: false })) !== undefined
  if (await isRecorded()) return 'recorded'
  if ((await findActive(em, write)) !== undefined) return 'another'
  // Try again: the active enrollment may have ended between the two statements.
  return (await isRecorded()) ? 'recorded' : 'refused'
}

/**
 * Decides about a workflow that runs while the database has no active enrollment. It may have just been started. Or it has
 * nothing left to do: its start was delivered twice, or its sequence has ended and it is closing, or the enrollment ended in the
 * database only, because Temporal's data is older. Recording what the workflow would record shows which it is. A workflow with
 * nothing to do starts the enrollments that it received in the meantime.
 */
async function enrollBesideRunning(
  em: EntityManager,
  { enrollments }: Dependencies,
  workspaceId: string,
  running: RunningEnrollment | undefined,
  write: EnrollmentWrite,
  start: EnrollmentStart,
): Promise<RecordOutcome> {
  const { automationId, contactId, concurrencyKey } = write
  const outcome = await em.transactional(async (unit): Promise<RecordOutcome> => {
    await lockEntrance(unit, write)
    if (running) {
      const { enrollmentId: id, dedupKey, triggerEventId, enrolledAt } = running
      const ofRunning = {
        ...{ id, automationId, contactId, concurrencyKey, dedupKey, triggerEventId },
        enrolledAt: new Date(enrolledAt),
      }
      const status = await recordEnrollment(unit, ofRunning, { supersedes: false })
      if (status === 'ACTIVE') return 'another'
    }
    const recorded = await recordUnlessEnrolled(unit, write)
    if (recorded === 'refused') await assertTarget(unit, workspaceId, write)
    return recorded
  })
  if (outcome === 'recorded') await enrollments.enter(start, write.id)
  return outcome
}
