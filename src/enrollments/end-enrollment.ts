import { ApiError, STILL_SENDING } from '../platform/api-error.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { assertAutomation } from '../automations/index.ts'
import { readSendingGate } from '../instance/index.ts'
import { countSending, waitForSenders } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { endRows } from './end-queries.ts'
import { findActive, mayBeAheadOfTemporal } from './queries.ts'
import { recordEnrollment } from './record-enrollment.ts'
import { NOT_ENROLLED } from './errors.ts'

/**
 * Ends a contact's enrollment in an automation, and cancels pending retries of earlier enrollments. After the commit no email of
 * it can be claimed. Waits for an email in flight, so that none is sent after the response. The workflow is cancelled
 * immediately, or by the relay. Events after the response may enroll the contact again.
 *
 * @throws {ApiError} `not-found`; `unavailable` if an email is in flight for seconds. A repeated request waits again, and
 * succeeds when the message is final
 */
export async function endEnrollment(
  dependencies: Dependencies,
  workspaceId: string,
  automationId: string,
  contactId: string,
  { audit }: Pick<Call, 'audit'>,
): Promise<void> {
  const em = dependencies.em.fork()
  await assertAutomation(em, workspaceId, automationId)
  if (!isId(contactId)) throw new ApiError(NOT_ENROLLED)
  // After a restore, Temporal may run another enrollment of the contact than the one that the database has.
  const isReconciled = (await readSendingGate(em.fork())).isOpen
  let wasPending = false
  for (;;) {
    const enrollmentId = (await readCurrentEnrollment(dependencies, automationId, contactId)) ?? null
    const ended = await em.transactional(async (unit) => {
      const found = await endRows(unit, [{ automationId, contactId }])
      if (found.wasPending) await audit(unit)
      return found
    })
    await dependencies.deliverAtOnce(dependencies, ended.due)
    wasPending ||= ended.wasPending
    // The enrollment has ended since it was read, and another one may have started.
    if (enrollmentId === null || (ended.wasPending && isReconciled)) break
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

/** Returns the contact's enrollment. Records an enrollment that only Temporal knows, because no worker has recorded it yet. */
async function readCurrentEnrollment(
  { em, enrollments }: Dependencies,
  automationId: string,
  contactId: string,
): Promise<string | undefined> {
  const unit = em.fork()
  const active = await findActive(unit, automationId, contactId)
  if (active !== undefined) return active
  const running = await enrollments.findRunning(automationId, contactId)
  if (!running) return undefined
  const { enrollmentId: id, dedupKey, triggerEventId, enrolledAt } = running
  const write = { id, automationId, contactId, dedupKey, triggerEventId, enrolledAt: new Date(enrolledAt) }
  const recorded = await recordEnrollment(unit, write, { supersedes: false })
  if (recorded) return recorded === 'ACTIVE' ? id : undefined
  if (triggerEventId === null || !(await mayBeAheadOfTemporal(unit, id, triggerEventId))) return undefined
  // A restored database may lack the event. Like a reconciliation, this records the enrollment without it.
  const without = await recordEnrollment(unit, { ...write, triggerEventId: null }, { supersedes: false })
  return without === 'ACTIVE' ? id : undefined
}
