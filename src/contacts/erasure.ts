import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

export interface ErasedContact {
  workspaceId: string
  id: string
  /** The IDs that stand for the addresses of the contact: emails from before there was a contact have them. */
  addressIds: readonly string[]
}

/**
 * The parts of an erasure that later modules implement. The composition root passes them: `src/runtime/erasure.ts`.
 * Rows that refer to `contacts` with `on delete cascade` need no entry.
 */
export interface Erasure {
  /**
   * Deletes the data of a contact in each module, in order, in the transaction that erases it and under the contact's lock.
   * Each function returns the deliveries that become due.
   */
  eraseData: readonly ((em: EntityManager, contact: ErasedContact) => Promise<readonly Delivery[]>)[]
  /** Waits until no email to the contact is in flight. @returns false if that takes too long for a request */
  waitForSenders(em: EntityManager, contact: ErasedContact): Promise<boolean>
  /** Waits until no email to any erased contact of a workspace is in flight. */
  waitForSendersToErased(em: EntityManager, workspaceId: string): Promise<boolean>
  /** Whether a message of an erased contact is still in flight. */
  isBeingErased(em: EntityManager, contact: ErasedContact): Promise<boolean>
  /** Deletes the messages that were in flight when the contact was erased. */
  eraseRest(em: EntityManager, contact: ErasedContact): Promise<boolean>
}
