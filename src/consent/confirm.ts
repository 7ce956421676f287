import type { Dependencies } from '../outbox/index.ts'
import { joinByConfirming } from './confirm-queries.ts'
import { countConsents, deleteOwnWish, lockContact } from './queries.ts'
import { endAll } from './suppress.ts'

/**
 * Does what somebody has confirmed: she is in the list that she was asked about, and gets what that starts. What still waits to ask her
 * once more ends. Had she wanted no mail at all before, that is taken back: she has said now, herself, that she wants some.
 *
 * May be repeated: behind the first time she is not asked any more, and nothing is done.
 *
 * @returns whether she was asked
 */
export async function confirmRequest(
  dependencies: Dependencies,
  contactId: string,
  requestId: string,
): Promise<boolean> {
  const due = await dependencies.em.fork().transactional(async (unit) => {
    const contact = await lockContact(unit, contactId)
    if (!contact) return undefined
    const { workspaceId, key, isUnconfirmed } = contact
    const joined = await joinByConfirming(unit, { workspaceId, contactId, requestId, key, isUnconfirmed })
    if (!joined) return undefined
    await deleteOwnWish(unit, workspaceId, key)
    await countConsents(unit, workspaceId, [key])
    const { listId } = joined
    return [...joined.due, ...(await endAll(unit, contactId, { all: true, listId, isRequest: true }))]
  })
  if (!due) return false
  await dependencies.deliverAtOnce(dependencies, due)
  return true
}
