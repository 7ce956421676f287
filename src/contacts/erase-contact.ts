import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { ApiError, STILL_SENDING } from '../platform/api-error.ts'
import type { ErasedContact, Erasure } from './erasure.ts'
import { deleteContact, lockContactForErasure } from './erase-queries.ts'
import { lockAddressesOf } from './lock-addresses.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'

/**
 * Erases a contact in one transaction: its row and all of its data in other modules. After the commit, no email to the contact
 * can be claimed. Waits for in-flight emails, so none is sent after the response. Workflows, which contain only IDs, are
 * cancelled immediately or by the relay.
 *
 * @throws {ApiError} `not-found`; `unavailable` if an email is in flight for seconds. Erasing again waits again, and succeeds
 * when the email has a final status
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
    // The contact may have been erased a moment ago by the same address, which is no longer stored.
    if (await erasure.waitForSendersToErased(fork, workspaceId)) throw new ApiError(CONTACT_NOT_FOUND)
    throw new ApiError(STILL_SENDING, {
      message:
        'No contact has this name, but an email to an erased contact is still in flight. ' +
        'Repeat this request to find out when its status is final.',
    })
  }
  let contact: ErasedContact = { workspaceId, id, addressIds: [] }
  const cancellations = await fork.transactional(async (em) => {
    if (!(await lockContactForErasure(em, contact))) return undefined
    contact = { ...contact, addressIds: await lockAddressesOf(em, contact) }
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
        'The contact is erased and gets no further email, but one is still in flight. ' +
        `Repeat DELETE /contacts/${id} to find out when its status is final.`,
    })
  }
  await erasure.eraseRest(fork, contact)
}
