import { Refusal, STILL_SENDING } from '../platform/refusal.ts'
import { eraseContact as erase, eraseRest, isBeingErased, lockContact } from './queries.ts'
import { countSendingTo, countSendingToErased, waitForSenders } from '../messages/index.ts'
import { type Dependencies, enqueue } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { forgetAddresses } from '../consent/index.ts'
import { CONTACT_NOT_FOUND } from '../contacts/index.ts'

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
export async function eraseContact(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  { tell }: Pick<Call, 'tell'>,
): Promise<void> {
  const fork = dependencies.em.fork()
  if (!isId(id)) {
    // The name of somebody who was erased a moment ago finds nobody: whose it was is kept nowhere.
    if (await waitForSenders(() => countSendingToErased(fork, workspaceId))) throw new Refusal(CONTACT_NOT_FOUND)
    throw new Refusal(STILL_SENDING, {
      message:
        'Nobody has this name, but an email to a contact who was erased is still being handed to the mail server. ' +
        'Send this request again to learn when it is settled.',
    })
  }
  const cancellations = await fork.transactional(async (em) => {
    if (!(await lockContact(em, workspaceId, id))) return undefined
    // What is left of it, while an email is under way, goes when that is settled.
    if ((await countSendingTo(em, [id])) > 0) await enqueue(em, { kind: 'ERASE', contactId: id }, REST_SECONDS)
    await tell(em)
    await forgetAddresses(em, id)
    return erase(em, workspaceId, id)
  })
  if (!cancellations && !(await isBeingErased(fork, workspaceId, id))) throw new Refusal(CONTACT_NOT_FOUND)
  await dependencies.deliverAtOnce(dependencies, cancellations ?? [])
  if (!(await waitForSenders(() => countSendingTo(fork, [id])))) {
    throw new Refusal(STILL_SENDING, {
      message:
        'The contact is erased and no further email is sent to it, but one is still being handed to the mail server. ' +
        `Send DELETE /contacts/${id} again to learn when it is settled.`,
    })
  }
  await eraseRest(fork, id)
}
