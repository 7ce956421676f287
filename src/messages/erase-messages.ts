import { type Delivery, enqueue } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { waitForSenders } from './leases.ts'
import { hasMessageInFlight } from './read-queries.ts'
import { countSending, countSendingToErased, deleteMessagesOf } from './store-queries.ts'

interface Contact {
  workspaceId: string
  id: string
}

/** Seconds within which the request that erases a contact deletes their last messages. After that, the relay does. */
const REST_SECONDS = 5

/** Deletes the messages of a contact that is being erased. A message in flight is deleted once it is final. */
export async function eraseMessages(em: EntityManager, { id }: Contact): Promise<readonly Delivery[]> {
  if ((await countSending(em, { contactIds: [id] })) > 0)
    await enqueue(em, { kind: 'ERASE', contactId: id }, REST_SECONDS)
  await deleteMessagesOf(em, id)
  return []
}

/** Deletes the remaining messages of an erased contact. @returns whether none are left */
export const deleteRemainingMessages = async (em: EntityManager, contactId: string): Promise<boolean> =>
  (await deleteMessagesOf(em, contactId)) === 0

export const isBeingErased = (em: EntityManager, contact: Contact): Promise<boolean> =>
  hasMessageInFlight(em, contact.workspaceId, contact.id)

export const waitForSendersTo = (em: EntityManager, { id }: Contact): Promise<boolean> =>
  waitForSenders(() => countSending(em, { contactIds: [id] }))

export const waitForSendersToErased = (em: EntityManager, workspaceId: string): Promise<boolean> =>
  waitForSenders(() => countSendingToErased(em, workspaceId))
