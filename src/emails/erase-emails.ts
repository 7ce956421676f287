import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { deleteEmailsOf } from './queries.ts'

/** Deletes the emails to a contact that is being erased, also those to their addresses from before they were a contact. */
export async function eraseEmails(
  em: EntityManager,
  { id, addressIds }: { id: string; addressIds: readonly string[] },
): Promise<readonly Delivery[]> {
  await deleteEmailsOf(em, [id, ...addressIds])
  return []
}
