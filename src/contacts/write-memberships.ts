import { addMembers, type MembershipPlan, writeRequests } from '../lists/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import {
  type CauseOfHappenings,
  findListeners,
  NOBODY_LISTENS,
  type TriggerOccurrence,
  recordTriggerOccurrences,
} from '../triggers/index.ts'

export interface PlannedMembership {
  listId: string
  contactId: string
  emailKey: string
  plan: MembershipPlan
}

/**
 * Writes planned memberships, and what they start. The contacts must be locked.
 *
 * @returns the deliveries for the caller; empty for a bulk operation
 */
export async function writeMemberships(
  em: EntityManager,
  context: CauseOfHappenings,
  memberships: readonly PlannedMembership[],
  happenings: readonly TriggerOccurrence[],
): Promise<Delivery[]> {
  await addMembers(
    em,
    context.workspaceId,
    memberships.filter(({ plan }) => plan.outcome === 'added'),
  )
  const listening = happenings.length > 0 ? await findListeners(em, context.workspaceId) : NOBODY_LISTENS
  const asking = new Set(
    happenings
      .filter((happening) => listening.active(happening).length > 0)
      .map(({ contactId, type, key }) => `${type} ${contactId} ${key}`),
  )
  await writeRequests(
    em,
    memberships.flatMap(({ listId, contactId, emailKey, plan }) =>
      plan.outcome === 'requested'
        ? [
            {
              listId,
              contactId,
              emailKey,
              id: plan.requestId,
              isAsked: asking.has(`LIST_REQUESTED ${contactId} ${listId}`),
            },
          ]
        : [],
    ),
  )
  return recordTriggerOccurrences(em, context, happenings, listening)
}
