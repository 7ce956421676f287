import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { deleteEmailsOf, hideRecipient } from './queries.ts'

/**
 * Deletes the emails to a contact that is being erased, also those to their addresses from before they were a contact. Emails to
 * others no longer name them among the visible recipients.
 */
export async function eraseEmails(
  em: EntityManager,
  { id, addressIds }: { id: string; addressIds: readonly string[] },
): Promise<readonly Delivery[]> {
  await hideRecipient(em, id)
  await deleteEmailsOf(em, [id, ...addressIds])
  return []
}
