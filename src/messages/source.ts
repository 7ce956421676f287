import type { Recipient } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Attachment } from '../smtp/index.ts'
import type { MessageRef } from './message.ts'
import type { StoredMessage } from './read-queries.ts'
import type { Prepared, SourceContext } from './prepared.ts'
import type { Intent } from './transitions.ts'

/**
 * The owner of messages: the steps of automations, campaigns, or transactional emails. The store knows nothing else about it. A source is called inside
 * the store's transactions, and takes locks in the order of docs/lock-order.md.
 */
export interface MessageSource {
  /**
   * Loads the send context of an existing message.
   * @returns `undefined` if the message may not be sent with this intent: its source is deleted, paused or cancelled
   */
  load(em: EntityManager, message: StoredMessage, intent: Intent): Promise<SourceContext | undefined>
  /** Reads the attachments of a message that has some. */
  readAttachments?: (em: EntityManager, message: Prepared) => Promise<readonly Attachment[]>
  /** Reads the recipient; by default the contact. @returns `undefined` if there is none */
  readRecipient?: (em: EntityManager, message: StoredMessage) => Promise<Recipient | undefined>
  /**
   * Locks the rows that decide whether messages may be sent, until the transaction ends. The statements are sent together
   * (`pipelined`).
   * @returns those that may still be sent as they were prepared
   */
  lockForClaim(em: EntityManager, messages: readonly Prepared[]): Promise<readonly Prepared[]>
  /**
   * Records what follows from claims, in their transaction.
   * @param messages those that were claimed
   * @param sending those of them that will be sent now
   */
  claimed?: (em: EntityManager, messages: readonly Prepared[], sending: readonly Prepared[]) => Promise<void>
  /**
   * Locks the rows that decide whether deferred messages will be tried again, until the transaction ends.
   * @returns those that will not be, because their enrollment has ended
   */
  lockForDeferral(em: EntityManager, messages: readonly Prepared[]): Promise<ReadonlySet<Prepared>>
}

export type MessageSources = Readonly<Record<MessageRef['kind'], MessageSource>>
