import type { EntityManager } from '../platform/db/orm.ts'
import { checkEachPart, type Condition, countNow, findSegment, resolveSegments } from '../segments/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { countBySubscription, type SubscriptionCounts } from './segment-queries.ts'

/** Counts the contacts that match a condition now. @param withSubscription whether to count which of them get marketing */
export async function countMatching(
  em: EntityManager,
  workspaceId: string,
  condition: Condition,
  withSubscription: boolean,
): Promise<{ contactCount: number; subscription?: SubscriptionCounts }> {
  const fork = em.fork()
  if (!withSubscription) return { contactCount: await countNow(fork, workspaceId, condition) }
  const resolved = await resolveSegments(fork, workspaceId, condition)
  const subscription = await countBySubscription(fork, resolved, { workspaceId, at: await timeIn(fork, workspaceId) })
  const { subscribed, pending, unsubscribed, suppressed } = subscription
  return { contactCount: subscribed + pending + unsubscribed + suppressed, subscription }
}

/** Checks each part of a segment's condition for a contact. @returns `undefined` if the contact does not exist */
export async function checkSegmentContact(
  em: EntityManager,
  workspaceId: string,
  { id, contactId }: { id: string; contactId: string },
) {
  const fork = em.fork()
  const { condition } = await findSegment(fork, workspaceId, id)
  return checkEachPart(fork, workspaceId, contactId, condition, { at: await timeIn(fork, workspaceId) })
}
