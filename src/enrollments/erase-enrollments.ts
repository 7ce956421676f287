import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ } from '../platform/db/sql.ts'
import { type Delivery, deleteStarts, enqueueForCaller } from '../outbox/index.ts'
import { Enrollment } from './entities.ts'

/**
 * Enqueues the cancellation of the workflows of a contact that is being erased, and drops events that would start others. The
 * rows are deleted with the contact.
 */
export async function eraseEnrollments(
  em: EntityManager,
  { workspaceId, id: contactId }: { workspaceId: string; id: string },
): Promise<readonly Delivery[]> {
  // Locked before their messages are deleted: see docs/lock-order.md.
  const enrollments = await em.find(
    Enrollment,
    { contactId },
    {
      ...FRESH_READ,
      lockMode: LockMode.PESSIMISTIC_WRITE,
      orderBy: { id: 'asc' },
    },
  )
  const active = enrollments.filter(({ status }) => status === 'ACTIVE')
  await deleteStarts(em, contactId)
  return enqueueForCaller(
    em,
    active.map(({ automationId, concurrencyKey }) => ({
      kind: 'CANCEL',
      workspaceId,
      automationId,
      contactId,
      concurrencyKey,
    })),
  )
}
