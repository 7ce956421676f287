import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { ApiError, STILL_SENDING } from '../platform/api-error.ts'
import type { Erasure } from './erasure.ts'
import { deleteContact, lockContactForErasure } from './erase-queries.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'

/**
 * Erases a contact in one transaction: its row and what every module keeps of it. After the commit no email to the contact can be
 * claimed. An email that is being sent at that moment is waited for, so none is sent after the response. Workflows, which hold ids
 * alone, are cancelled at once or by the relay.
 *
 * @throws {ApiError} `not-found`; `unavailable` if an email has been on its way for seconds. Erasing again waits again, and succeeds
 *   when the email has a final status.
 */
export async function eraseContact(
  dependencies: Dependencies,
  erasure: Erasure,
  workspaceId: string,
  id: string,
  { audit }: Pick<Call, 'audit'>,
): Promise<void> {
  const fork = dependencies.em.fork()
  if (!isId(id)) {
    // The contact may have been erased a moment ago, by the same address: nothing is kept to find it by.
    if (await erasure.waitForSendersToErased(fork, workspaceId)) throw new ApiError(CONTACT_NOT_FOUND)
    throw new ApiError(STILL_SENDING, {
      message:
        'Nobody has this name, but an email to a contact who was erased is still being handed to the mail server. ' +
        'Send this request again to learn when it is settled.',
    })
  }
  const contact = { workspaceId, id }
  const cancellations = await fork.transactional(async (em) => {
    if (!(await lockContactForErasure(em, contact))) return undefined
    await audit(em)
    const due: Delivery[] = []
    for (const eraseData of erasure.eraseData) due.push(...(await eraseData(em, contact)))
    await deleteContact(em, contact)
    return due
  })
  if (!cancellations && !(await erasure.isBeingErased(fork, contact))) throw new ApiError(CONTACT_NOT_FOUND)
  await dependencies.deliverAtOnce(dependencies, cancellations ?? [])
  if (!(await erasure.waitForSenders(fork, contact))) {
    throw new ApiError(STILL_SENDING, {
      message:
        'The contact is erased and no further email is sent to it, but one is still being handed to the mail server. ' +
        `Send DELETE /contacts/${id} again to learn when it is settled.`,
    })
  }
  await erasure.eraseRest(fork, id)
}
