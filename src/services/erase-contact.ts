import { eraseContact as erase, eraseRest, isBeingErased, lockContact } from '../db/queries/erase-contact.ts'
import { countSendingTo } from '../db/queries/ledger.ts'
import { owe } from '../db/queries/outbox.ts'
import { unavailable } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { contactNotFound } from './contacts.ts'
import { deliverAtOnce } from './deliver.ts'
import type { Dependencies } from './dependencies.ts'
import { waitForSenders } from './wait-for-senders.ts'

/** How long whoever erases a contact sees to its last messages before the relay does, in seconds. */
const REST_SECONDS = 5

/**
 * Erases a contact in one transaction: its row, its messages, enrollments, events, memberships and tags. From the commit on
 * no email to it can be claimed; one that is being handed over at that moment is waited for, so that none is sent after the
 * answer. Its workflows, which hold ids alone, are cancelled at once, or by the relay.
 *
 * @throws {Refusal} `not-found`; `unavailable` when an email has been on its way for seconds. Erasing again then waits again,
 *   and succeeds once it is settled.
 */
export async function eraseContact(dependencies: Dependencies, workspaceId: string, id: string): Promise<void> {
  if (!isId(id)) throw contactNotFound()
  const fork = dependencies.em.fork()
  const cancellations = await fork.transactional(async (em) => {
    if (!(await lockContact(em, workspaceId, id))) return undefined
    // What is left of it, while an email is under way, goes when that is settled.
    if ((await countSendingTo(em, id)) > 0) await owe(em, { kind: 'ERASE', contactId: id }, REST_SECONDS)
    return erase(em, workspaceId, id)
  })
  if (!cancellations && !(await isBeingErased(fork, workspaceId, id))) throw contactNotFound()
  await deliverAtOnce(dependencies, cancellations ?? [])
  if (!(await waitForSenders(() => countSendingTo(fork, id)))) {
    throw unavailable(
      'The contact is erased and no further email is sent to it, but one is still being handed to the mail server. ' +
        'Send this request again to learn when it is settled.',
    )
  }
  await eraseRest(fork, id)
}
