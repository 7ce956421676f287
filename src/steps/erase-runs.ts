import { lockEnrollmentsOf } from '../enrollments/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { deleteRunsOf } from './queries.ts'

/** Deletes the runs of steps of a contact that is being erased. */
export async function eraseRuns(em: EntityManager, { id }: { id: string }): Promise<readonly Delivery[]> {
  await lockEnrollmentsOf(em, id)
  await deleteRunsOf(em, id)
  return []
}
