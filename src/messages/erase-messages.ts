import { type Delivery, enqueue } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { waitForSenders } from './leases.ts'
import { hasMessageInFlight } from './read-queries.ts'
import { deleteMessagesOf } from './delete-queries.ts'
import { countSending, countSendingToErased } from './lease-queries.ts'

interface Contact {
  workspaceId: string
  id: string
  /** The IDs under which messages to addresses of the contact are stored, from before there was a contact. */
  addressIds: readonly string[]
}

const idsOf = ({ id, addressIds }: Contact): string[] => [id, ...addressIds]

/** Seconds within which the request that erases a contact deletes their last messages. After that, the relay does. */
const REST_SECONDS = 5

/** Deletes the messages of a contact that is being erased. A message in flight is deleted once it is final. */
export async function eraseMessages(em: EntityManager, contact: Contact): Promise<readonly Delivery[]> {
  for (const contactId of idsOf(contact)) {
    if ((await countSending(em, { contactIds: [contactId] })) > 0)
      await enqueue(em, { kind: 'ERASE', contactId }, REST_SECONDS)
    await deleteMessagesOf(em, contactId)
  }
  return []
}

/** Deletes the remaining messages of an ID of an erased contact. @returns whether none are left */
export const deleteRemainingMessages = async (em: EntityManager, contactId: string): Promise<boolean> =>
  (await deleteMessagesOf(em, contactId)) === 0

/** Deletes the remaining messages of an erased contact. @returns whether none are left */
export async function eraseRest(em: EntityManager, contact: Contact): Promise<boolean> {
  const isDone = []
  for (const contactId of idsOf(contact)) isDone.push(await deleteRemainingMessages(em, contactId))
  return isDone.every(Boolean)
}

export const isBeingErased = (em: EntityManager, contact: Pick<Contact, 'workspaceId' | 'id'>): Promise<boolean> =>
  hasMessageInFlight(em, contact.workspaceId, contact.id)

export const waitForSendersTo = (em: EntityManager, contact: Contact): Promise<boolean> =>
  waitForSenders(() => countSending(em, { contactIds: idsOf(contact) }))

export const waitForSendersToErased = (em: EntityManager, workspaceId: string): Promise<boolean> =>
  waitForSenders(() => countSendingToErased(em, workspaceId))
