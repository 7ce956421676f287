import { ApiError, STILL_SENDING } from '../platform/api-error.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { assertAutomation } from '../automations/index.ts'
import { readSendingGate } from '../instance/index.ts'
import { countSending, waitForSenders } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { endRows } from './end-queries.ts'
import { findActive, mayKnowLater } from './queries.ts'
import { recordEnrollment } from './record-enrollment.ts'
import { NOT_ENROLLED } from './errors.ts'

/**
 * Ends a contact's enrollment in an automation, and what is still to be tried again of an earlier one. From the commit on no email
 * of it can be claimed; one that is being handed over at that moment is waited for, so that none is sent after the answer. Its
 * workflow is cancelled at once, or by the relay. The contact may enter again, by what comes behind the answer.
 *
 * @throws {ApiError} `not-found`; `unavailable` when an email has been on its way for seconds. Ending again then waits again, and
 *   succeeds once it is settled.
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
    const enrollmentId = (await whoIsIn(dependencies, automationId, contactId)) ?? null
    const ended = await em.transactional(async (unit) => {
      const found = await endRows(unit, [{ automationId, contactId }])
      if (found.wasPending) await audit(unit)
      return found
    })
    await dependencies.deliverAtOnce(dependencies, ended.due)
    wasPending ||= ended.wasPending
    // Who was in has left since somebody looked; another one may have come in.
    if (enrollmentId === null || (ended.wasPending && isReconciled)) break
  }
  const sending = () => countSending(em, { automationId, contactIds: [contactId] })
  if (!wasPending) throw new ApiError(NOT_ENROLLED)
  if (await waitForSenders(sending)) return
  throw new ApiError(STILL_SENDING, {
    message:
      'The enrollment is ended and starts no further email, but one is still being handed to the mail server. ' +
      'Send this request again to learn when it is settled.',
  })
}

/** The enrollment in which a contact is. One that only Temporal knows, because no worker has recorded it yet, is recorded. */
async function whoIsIn(
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
  if (triggerEventId === null || !(await mayKnowLater(unit, id, triggerEventId))) return undefined
  // A restored database does not have the event: like a reconciliation, this records the enrollment without it.
  const without = await recordEnrollment(unit, { ...write, triggerEventId: null }, { supersedes: false })
  return without === 'ACTIVE' ? id : undefined
}
