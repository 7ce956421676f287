import {
  incrementConsentVersion,
  confirmContacts,
  deleteOwnSuppressions,
  happeningsOf,
  loadTagKeys,
  writeMemberships,
} from '../contacts/index.ts'
import { findRequest } from '../lists/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { lockContact } from './queries.ts'
import { endEnrollments } from './suppress.ts'

/**
 * Confirms that a contact wants to be in a list: they join it, which starts what listens for that. If they were unconfirmed, they have
 * signed up now. What still waits to ask them again ends. Their own opt-out from all mail ends too: they asked for mail again.
 *
 * May be repeated: after the first time the contact is not asked any more, and nothing is done.
 *
 * @returns whether the contact was asked
 */
export async function confirmRequest(
  dependencies: Dependencies,
  contactId: string,
  requestId: string,
): Promise<boolean> {
  const due = await dependencies.em.fork().transactional((unit) => confirmLocked(unit, contactId, requestId))
  if (!due) return false
  await dependencies.deliverAtOnce(dependencies, due)
  return true
}

async function confirmLocked(
  unit: EntityManager,
  contactId: string,
  requestId: string,
): Promise<Delivery[] | undefined> {
  const contact = await lockContact(unit, contactId)
  if (!contact) return undefined
  const { workspaceId, key: emailKey, isUnconfirmed } = contact
  const request = await findRequest(unit, { contactId, requestId, emailKey })
  if (!request) return undefined
  const { listId, isMember } = request
  const tags = isUnconfirmed ? await loadTagKeys(unit, [contactId]) : new Map<string, ReadonlySet<string>>()
  await confirmContacts(unit, [contactId])
  await deleteOwnSuppressions(unit, workspaceId, emailKey)
  await incrementConsentVersion(unit, [contactId])
  const due = await writeMemberships(
    unit,
    { workspaceId, requestId: null, isBulk: false },
    [{ listId, contactId, emailKey, plan: { outcome: 'added' } }],
    happeningsOf({
      contactId,
      isCreated: false,
      wasUnconfirmed: isUnconfirmed,
      isUnconfirmed: false,
      listAdded: isMember ? undefined : listId,
      tags: tags.get(contactId) ?? [],
    }),
  )
  return [...due, ...(await endEnrollments(unit, contactId, { kind: 'request', listId }))]
}
