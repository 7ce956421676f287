import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

export interface ErasedContact {
  workspaceId: string
  id: string
}

/**
 * What erasing a contact needs from modules that come after this one. The composition root passes it: `src/runtime/erasure.ts`.
 * Rows that refer to `contacts` with `on delete cascade` need nothing here.
 */
export interface Erasure {
  /**
   * Deletes what each module keeps of a contact, in order, in the transaction that erases it and under the contact's lock. Each returns
   * the deliveries that are due because of it.
   */
  eraseData: readonly ((em: EntityManager, contact: ErasedContact) => Promise<readonly Delivery[]>)[]
  /** Waits until no email to the contact is being sent. @returns false if it takes too long for a request */
  waitForSenders(em: EntityManager, contact: ErasedContact): Promise<boolean>
  /** The same for all contacts of a workspace that are erased already. */
  waitForSendersToErased(em: EntityManager, workspaceId: string): Promise<boolean>
  /** Whether a message of an erased contact is still being sent. */
  isBeingErased(em: EntityManager, contact: ErasedContact): Promise<boolean>
  /** Deletes the messages that were being sent when the contact was erased. */
  eraseRest(em: EntityManager, contactId: string): Promise<boolean>
}
