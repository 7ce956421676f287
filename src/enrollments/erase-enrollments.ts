import type { EntityManager } from '../platform/db/orm.ts'
import { type Delivery, deleteStarts, enqueueForCaller } from '../outbox/index.ts'
import { deleteEnrollmentsOf } from './erase-queries.ts'

/**
 * Deletes the enrollments of a contact that is being erased, enqueues the cancellation of their workflows, and drops events that
 * would start others. The runs of their steps have been deleted: see `lockEnrollmentsOf`.
 */
export async function eraseEnrollments(
  em: EntityManager,
  { workspaceId, id: contactId }: { workspaceId: string; id: string },
): Promise<readonly Delivery[]> {
  const active = await deleteEnrollmentsOf(em, contactId)
  await deleteStarts(em, contactId)
  return enqueueForCaller(
    em,
    active.map((place) => ({ kind: 'CANCEL', workspaceId, ...place })),
  )
}
