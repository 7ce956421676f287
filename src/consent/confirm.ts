import { endRows } from '../enrollments/index.ts'
import {
  incrementConsentVersion,
  confirmContacts,
  deleteOwnSuppressions,
  triggerOccurrencesOf,
  loadTagKeys,
  writeMemberships,
} from '../contacts/index.ts'
import { findRequest } from '../lists/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { automationsAsking, lockContact } from './queries.ts'

/**
 * Confirms that a contact wants to be in a list. They join it, which fires its triggers. For an unconfirmed contact, this is the
 * sign-up, whose triggers also fire. Pending confirmation emails are cancelled. Removes an unsubscribe by the contact, who has
 * asked for mail again.
 *
 * Idempotent: after the first call, the request no longer exists, and nothing happens.
 *
 * @returns whether the request to confirm existed
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
    triggerOccurrencesOf({
      contactId,
      isCreated: false,
      wasUnconfirmed: isUnconfirmed,
      isUnconfirmed: false,
      listAdded: isMember ? undefined : listId,
      tags: tags.get(contactId) ?? [],
    }),
  )
  const asking = await automationsAsking(unit, contactId, listId)
  const ends = asking.map((automationId) => ({
    ...{ automationId, contactId },
    cause: { cause: 'CONFIRMED_LIST' as const, listId },
  }))
  return [...due, ...(await endRows(unit, ends)).due]
}
