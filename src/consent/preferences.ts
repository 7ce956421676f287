import type { LinkOf } from '../signed-links/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import {
  countConsents,
  deleteOwnWish,
  joinByWish,
  leaveByWish,
  lockContact,
  readPreferences,
  addressesOfLink,
} from './queries.ts'
import { suppressOfErased } from './erased.ts'
import { afterSuppressing, endAll, suppressAddress, suppressAtOnce } from './suppress.ts'

/** What a contact wants to get. */
export type Wish =
  /** No marketing any more. */
  | { kind: 'nothing' }
  /** Marketing again, where she had wanted none. */
  | { kind: 'everything' }
  /** Of the lists that she sees, these. */
  | { kind: 'lists'; ids: readonly string[] }

/**
 * Does what a contact wants, at once: what she waits for ends, and nothing that is queued goes out. To want less, any link of hers will do;
 * to want more again, one that went to the address that she has.
 *
 * @param originId what the link was sent for
 * @returns whether it is so. Of who was erased, that is where her address is mailed no more
 */
export async function setPreferences(
  dependencies: Dependencies,
  { contactId, originId }: LinkOf,
  wish: Wish,
): Promise<boolean> {
  const done = await dependencies.em.fork().transactional(async (unit) => {
    const contact = await lockContact(unit, contactId)
    if (!contact) return undefined
    const { workspaceId, email, key } = contact
    const { isHers, others } = await addressesOfLink(unit, { contactId, originId }, key)
    if (wish.kind === 'nothing') {
      const { due } = await suppressAddress(unit, workspaceId, { email, reason: 'UNSUBSCRIBED' })
      // Where it went to hers as well, nobody knows which of them it was: the others may be somebody else's.
      return { workspaceId, email, due, others: isHers ? [] : others }
    }
    // Lists alone are no word about everything: an older page, saved once more, takes nothing back.
    if (wish.kind === 'everything' && isHers) await deleteOwnWish(unit, workspaceId, key)
    const due = []
    if (wish.kind === 'lists') {
      const { lists } = (await readPreferences(unit, contactId))!
      const wanted = new Set(wish.ids)
      for (const { id, isIn } of lists) {
        if (wanted.has(id) && !isIn && isHers) await joinByWish(unit, id, contactId)
        if (wanted.has(id) || !isIn || !(await leaveByWish(unit, id, contactId))) continue
        due.push(...(await endAll(unit, contactId, { all: false, listId: id })))
      }
    }
    await countConsents(unit, workspaceId, [key])
    return { workspaceId, email, due, others: [] }
  })
  if (!done) return wish.kind === 'nothing' && (await suppressOfErased(dependencies, contactId, 'UNSUBSCRIBED'))
  await afterSuppressing(dependencies, done.workspaceId, done, done.due)
  // Somebody may have made her anew there. Each for itself: it locks whoever has it.
  for (const email of new Set(done.others)) await suppressAtOnce(dependencies, done.workspaceId, email, 'UNSUBSCRIBED')
  return true
}
