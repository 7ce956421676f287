import { incrementConsentVersion, confirmContacts, deleteOwnSuppressions, writeMemberships } from '../contacts/index.ts'
import { optOutOfLists, planPreferences } from '../lists/index.ts'
import type { LinkOf } from '../signed-links/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { addressesOfLink, lockContact, readPreferences } from './queries.ts'
import { suppressOfErased } from './erased.ts'
import { afterSuppressing, endEnrollments, suppressAddress, suppressAtOnce } from './suppress.ts'

/** What a contact wants to get. */
export type PreferenceChange =
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
  wish: PreferenceChange,
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
    // A choice of lists does not end an opt-out from everything.
    if (wish.kind === 'everything' && isHers) await deleteOwnSuppressions(unit, workspaceId, key)
    const due = wish.kind === 'lists' ? await changeLists(unit, { contactId, key }, wish.ids, isHers) : []
    await incrementConsentVersion(unit, [contactId])
    return { workspaceId, email, due, others: [] }
  })
  if (!done) return wish.kind === 'nothing' && (await suppressOfErased(dependencies, contactId, 'UNSUBSCRIBED'))
  await afterSuppressing(dependencies, done.workspaceId, done, done.due)
  // Somebody may have made her anew there. Each for itself: it locks whoever has it.
  for (const email of new Set(done.others)) await suppressAtOnce(dependencies, done.workspaceId, email, 'UNSUBSCRIBED')
  return true
}

/** Joins and leaves lists as the contact chose. Joining starts nothing: they asked for the list, not for its beginning. */
async function changeLists(
  unit: EntityManager,
  { contactId, key }: { contactId: string; key: string },
  wanted: readonly string[],
  mayJoin: boolean,
): Promise<Delivery[]> {
  const { workspaceId, lists } = (await readPreferences(unit, contactId))!
  const { join, leave } = planPreferences(lists, wanted, mayJoin)
  if (join.length > 0) await confirmContacts(unit, [contactId])
  await writeMemberships(
    unit,
    { workspaceId, requestId: null, isBulk: false },
    join.map((listId) => ({ listId, contactId, emailKey: key, plan: { outcome: 'added' } })),
    [],
  )
  await optOutOfLists(unit, contactId, leave)
  const due: Delivery[] = []
  for (const listId of leave) due.push(...(await endEnrollments(unit, contactId, { kind: 'list', listId })))
  return due
}
