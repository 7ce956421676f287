import { ApiError, STILL_SENDING } from '../platform/api-error.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { findAutomation } from '../automations/index.ts'
import { readSendingGate } from '../instance/index.ts'
import { countSending, waitForSenders } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { endRows } from './end-queries.ts'
import type { ContactInAutomation, Place } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { RunningEnrollment } from '../temporal/index.ts'
import { hasConcurrencyKey } from './entry-rules.ts'
import { findActive, hasActive, mayBeAheadOfTemporal } from './queries.ts'
import { recordEnrollment } from './record-enrollment.ts'
import { NOT_ENROLLED } from './errors.ts'

/**
 * Ends a contact's enrollments in an automation, with all concurrency keys, and cancels pending retries of earlier enrollments.
 * After the commit no email of them can be claimed. Waits for an email in flight, so that none is sent after the response. The
 * workflows are cancelled immediately, or by the relay. Events after the response may enroll the contact again.
 *
 * @throws {ApiError} `not-found`; `unavailable` if an email is in flight for seconds. A repeated request waits again, and
 * succeeds when the message is final
 */
export async function endEnrollment(
  dependencies: Dependencies,
  workspaceId: string,
  automationId: string,
  contactId: string,
  { audit, requestId }: Pick<Call, 'audit' | 'requestId'>,
): Promise<void> {
  const em = dependencies.em.fork()
  const { entry } = await findAutomation(em, workspaceId, automationId)
  if (!isId(contactId)) throw new ApiError(NOT_ENROLLED)
  // After a restore, Temporal may run another enrollment of the contact than the one that the database has.
  const isReconciled = (await readSendingGate(em.fork())).isOpen
  let wasPending = false
  for (;;) {
    const isIn = await isInAutomation(dependencies, { automationId, contactId }, hasConcurrencyKey(entry))
    const ended = await em.transactional(async (unit) => {
      const found = await endRows(unit, [{ automationId, contactId, cause: { cause: 'REQUEST', requestId } }])
      // Once, even if another enrollment started in the meantime.
      if (found.wasPending && !wasPending) await audit(unit)
      return found
    })
    await dependencies.deliverAtOnce(dependencies, ended.due)
    wasPending ||= ended.wasPending
    // The enrollment has ended since it was read, and another one may have started.
    if (!isIn || (ended.wasPending && isReconciled)) break
  }
  const sending = () => countSending(em, { automationId, contactIds: [contactId] })
  if (!wasPending) throw new ApiError(NOT_ENROLLED)
  if (await waitForSenders(sending)) return
  throw new ApiError(STILL_SENDING, {
    message:
      'The enrollment is ended and sends no further email, but one email is still in flight. ' +
      'Send this request again to wait for its outcome.',
  })
}

/**
 * Returns whether the contact is in the automation. Records enrollments that only Temporal knows, because no worker has recorded
 * them yet.
 */
async function isInAutomation(
  { em, enrollments }: Dependencies,
  of: ContactInAutomation,
  isKeyed: boolean,
): Promise<boolean> {
  const unit = em.fork()
  const place = { ...of, concurrencyKey: '' }
  if (!isKeyed) {
    if ((await findActive(unit, place)) !== undefined) return true
    const running = await enrollments.findRunning(place)
    if (running !== undefined && (await recordRunning(unit, place, running))) return true
  }
  // The keys of enrollments that are not recorded are known to Temporal only. The automation may have had a key before.
  let isIn = await hasActive(unit, of)
  for await (const running of enrollments.listRunning(of)) isIn = (await recordRunning(unit, running, running)) || isIn
  return isIn
}

/** Records a running enrollment, unless the database has it. @returns whether it is active */
async function recordRunning(
  em: EntityManager,
  { automationId, contactId, concurrencyKey }: Place,
  { enrollmentId: id, dedupKey, triggerEventId, enrolledAt }: RunningEnrollment,
): Promise<boolean> {
  const place = { automationId, contactId, concurrencyKey }
  const write = { id, ...place, dedupKey, triggerEventId, enrolledAt: new Date(enrolledAt) }
  const recorded = await recordEnrollment(em, write, { supersedes: false })
  if (recorded) return recorded === 'ACTIVE'
  if (triggerEventId === null || !(await mayBeAheadOfTemporal(em, id, triggerEventId))) return false
  // A restored database may lack the event. Like a reconciliation, this records the enrollment without it.
  return (await recordEnrollment(em, { ...write, triggerEventId: null }, { supersedes: false })) === 'ACTIVE'
}
