import { leaveByOptOut } from '../enrollments/index.ts'
import { incrementConsentVersion, confirmContacts, deleteOwnSuppressions, writeMemberships } from '../contacts/index.ts'
import { optOutOfLists, planPreferences } from '../lists/index.ts'
import { recordUnsubscribeByLink } from '../messages/index.ts'
import type { LinkOf } from '../signed-links/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { addressesOfLink, lockContact, readPreferences } from './queries.ts'
import { suppressOfErased } from './erased.ts'
import { afterSuppressing, suppressAddress, suppressAndWait } from './suppress.ts'

/** A preference change of a contact. */
export type PreferenceChange =
  /** No marketing. */
  | { kind: 'nothing' }
  /** Marketing again, after an unsubscribe from everything. */
  | { kind: 'everything' }
  /** These of the lists that the contact may see. */
  | { kind: 'lists'; ids: readonly string[] }

/**
 * Applies a preference change immediately: enrollments that may no longer send end, and no queued email goes out. Any link of the
 * contact can unsubscribe. Only a link that was sent to the current address can subscribe again.
 *
 * @param originId the enrollment or campaign that the link was sent for
 * @returns whether the change was applied; for an erased contact, whether their addresses are suppressed
 */
export async function setPreferences(
  dependencies: Dependencies,
  { contactId, originId }: LinkOf,
  change: PreferenceChange,
): Promise<boolean> {
  const done = await dependencies.em.fork().transactional(async (unit) => {
    const contact = await lockContact(unit, contactId)
    if (!contact) return undefined
    const { workspaceId, email, key } = contact
    const { isCurrent, others } = await addressesOfLink(unit, { contactId, originId }, key)
    if (change.kind === 'nothing') {
      const { due } = await suppressAddress(unit, workspaceId, { email, reason: 'UNSUBSCRIBED' })
      await recordUnsubscribeByLink(unit, { contactId, originId })
      // If the link was also sent to the current address, it is unknown which of them the request came from. The others may
      // belong to other contacts.
      return { workspaceId, email, due, others: isCurrent ? [] : others }
    }
    // Choosing lists does not undo an unsubscribe from everything.
    if (change.kind === 'everything' && isCurrent) await deleteOwnSuppressions(unit, workspaceId, key)
    const { due, hasLeft } =
      change.kind === 'lists'
        ? await changeLists(unit, { contactId, key }, change.ids, isCurrent)
        : { due: [], hasLeft: false }
    if (hasLeft) await recordUnsubscribeByLink(unit, { contactId, originId })
    await incrementConsentVersion(unit, [contactId])
    return { workspaceId, email, due, others: [] }
  })
  if (!done) return change.kind === 'nothing' && (await suppressOfErased(dependencies, contactId, 'UNSUBSCRIBED'))
  await afterSuppressing(dependencies, done.workspaceId, done, done.due)
  // A new contact may have a former address. One transaction each, because each locks its contact.
  for (const email of new Set(done.others)) await suppressAndWait(dependencies, done.workspaceId, email, 'UNSUBSCRIBED')
  return true
}

/**
 * Joins and leaves lists as the contact chose. Joining starts no automations: the contact asked for the list, not for its welcome
 * emails.
 */
async function changeLists(
  unit: EntityManager,
  { contactId, key }: { contactId: string; key: string },
  wanted: readonly string[],
  mayJoin: boolean,
): Promise<{ due: Delivery[]; hasLeft: boolean }> {
  const { workspaceId, lists } = (await readPreferences(unit, contactId))!
  const { join, leave } = planPreferences(lists, wanted, mayJoin)
  if (join.length > 0) await confirmContacts(unit, [contactId])
  await writeMemberships(
    unit,
    { workspaceId, requestId: null, isBulk: false },
    join.map((listId) => ({ listId, contactId, emailKey: key, plan: { outcome: 'added' } })),
    [],
  )
  await optOutOfLists(unit, workspaceId, contactId, leave)
  const due = await leaveByOptOut(
    unit,
    leave.map((listId) => ({ contactId, listId })),
  )
  return { due, hasLeft: leave.length > 0 }
}
