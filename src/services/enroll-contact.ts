import { findEnrollable, findEnrollment, mergeMetadata, recordEnrollment } from '../db/queries/enrollments.ts'
import { callCause } from '../domain/enrollment.ts'
import { notFound, Refusal } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { splitMetadata } from '../domain/metadata.ts'
import type { Call } from './call.ts'
import type { Dependencies } from './dependencies.ts'

export interface EnrollResult {
  automationId: string
  contactId: string
  /** False when the contact is in the automation already; nothing has happened then. */
  enrolled: boolean
  enrolledAt: Date
}

/**
 * Enrolls a contact by hand, whatever the automation's trigger says (specification, section 4.5). The workflow's start
 * is the moment that counts: once it is made, the enrollment can't be lost, and the row is written here only so that
 * it can be read at once. If that fails, the workflow writes it.
 *
 * A call that is repeated enrolls once, and is told so each time: the enrollment has the call's id.
 */
export async function enrollContact(
  { em, enrollments, log }: Dependencies,
  workspaceId: string,
  automationId: string,
  { contactId, merge }: { contactId: string; merge?: Record<string, unknown> | undefined },
  call: Call,
): Promise<EnrollResult> {
  const fork = em.fork()
  const earlier = call.retried ? await findEnrollment(fork, call.id) : undefined
  if (earlier) return { automationId, contactId, enrolled: true, enrolledAt: earlier.enrolledAt }

  const found = isId(automationId)
    ? await findEnrollable(fork, workspaceId, automationId, isId(contactId) ? contactId : null)
    : undefined
  if (!found) throw notFound('Automation not found or not active')
  if (!found.hasContact) throw notFound('Contact not found')

  if (merge) {
    const { set, removedKeys } = splitMetadata(merge)
    await mergeMetadata(fork, contactId, set, removedKeys)
  }

  const enrolledAt = new Date()
  const cause = callCause(call.id)
  const start = () =>
    enrollments.start({
      automationName: found.automationName,
      requestId: call.requestId,
      input: {
        enrollmentId: call.id,
        workspaceId,
        automationId,
        contactId,
        enrolledAt: enrolledAt.toISOString(),
        cause,
        triggerEventId: null,
      },
    })
  // Temporal decides. The ledger only hints at whether it is asked or told: a contact who seems to be in, seldom is not.
  const running = found.active ? await enrollments.findRunning(automationId, contactId) : undefined
  const enrolled =
    running === undefined
      ? (await start()) || (call.retried && (await enrollments.findRunning(automationId, contactId)) === call.id)
      : running === call.id
  if (enrolled) {
    try {
      const recorded = await recordEnrollment(fork, {
        id: call.id,
        automationId,
        contactId,
        cause,
        triggerEventId: null,
        enrolledAt,
      })
      if (!recorded) throw notFound('Automation not found or not active')
    } catch (error) {
      if (error instanceof Refusal) throw error
      log.warn({ error, enrollmentId: call.id }, 'An enrollment is left to its workflow to record')
    }
  }
  return { automationId, contactId, enrolled, enrolledAt }
}
