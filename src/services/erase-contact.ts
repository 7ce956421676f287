import { setTimeout as delay } from 'node:timers/promises'
import { countSendingTo, eraseContact as erase, lockContact } from '../db/queries/erase-contact.ts'
import { unavailable } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { contactNotFound } from './contacts.ts'
import { SENDER_ALIVE_SECONDS, SENDING_PATIENCE_MS } from './delete-automation.ts'
import type { Dependencies } from './dependencies.ts'
import { cancelEnrollments } from './relay.ts'

/** How long whoever erased a contact has to cancel its workflows before the relay does, in seconds. */
const CANCELLATION_LEASE_SECONDS = 5

/**
 * Erases a contact in one transaction: its row, its messages, enrollments, events, memberships and tags. An email that
 * is being handed over at that moment is waited for, so that none is sent after the answer. Its workflows, which hold
 * ids alone, are cancelled at once, or by the relay.
 *
 * @throws {Refusal} `not-found`; `unavailable`, with nothing erased, when an email has been on its way for seconds.
 */
export async function eraseContact(dependencies: Dependencies, workspaceId: string, id: string): Promise<void> {
  if (!isId(id)) throw contactNotFound()
  const cancellations = await dependencies.em.fork().transactional(async (em) => {
    if (!(await lockContact(em, workspaceId, id))) throw contactNotFound()
    const deadline = Date.now() + SENDING_PATIENCE_MS
    while ((await countSendingTo(em, id, SENDER_ALIVE_SECONDS)) > 0) {
      if (Date.now() > deadline) {
        throw unavailable('An email to this contact is being handed to the mail server; please try again in a moment')
      }
      await delay(25)
    }
    return erase(em, workspaceId, id, CANCELLATION_LEASE_SECONDS)
  })
  try {
    await cancelEnrollments(dependencies, cancellations)
  } catch (error) {
    dependencies.log.warn(
      { error, contactId: id },
      'Cancelling the enrollments of an erased contact is left to the relay',
    )
  }
}
