import { readRecipients, type Recipient, suppressionOf, type SuppressedBy } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { newId } from '../platform/ids.ts'
import type { WorkspaceSender } from '../senders/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { MessageRef, MessageStatus } from './message.ts'
import type { StoredMessage } from './read-queries.ts'
import type { SourceContext } from './source.ts'
import type { Intent } from './transitions.ts'

/** How a workspace's mail is sent at this moment. */
export interface SendSettings {
  workspaceMode: WorkspaceMode
  /** The workspace's own sender; `null` where it uses the instance's. */
  sender: WorkspaceSender | null
  /** How the instance sends mail, if that is known. */
  mail: 'smtp' | 'capture' | null
  /** Whether the instance was restored from a backup and not reconciled yet. */
  isRestored: boolean
  /** Until when messages may have been sent that a restore has lost. */
  lostUntil: Date | null
}

/**
 * A message that an attempt has looked at: what to send, to whom, and what the claim compares. It is read without locks; the
 * claim fails if anything of it has changed.
 */
export interface Prepared extends SourceContext {
  ref: MessageRef
  intent: Intent
  /** The row's ID; a new one where the message has no row yet. */
  id: string
  /** The status that the attempt saw; `null` where the message has no row yet. */
  before: MessageStatus | null
  /** The attempts before this one. */
  attempts: number
  /** The Message-ID header of an earlier attempt that may have arrived. */
  header: string | null
  /** Since when somebody wants the message retried, if so. */
  retryAt: string | null
  contact: Pick<Recipient, 'email' | 'firstName' | 'metadata'>
  /** Optimistic lock: changes whenever what may be sent to the contact changes. */
  consentVersion: number
  /** Why the message is not to be sent; `null` where it is. */
  suppressedBy: SuppressedBy | null
  workspaceMode: WorkspaceMode
  sender: WorkspaceSender | null
  mail: 'smtp' | 'capture' | null
}

/** The statuses in which an earlier attempt may have arrived. */
const MAY_HAVE_ARRIVED: readonly MessageStatus[] = ['UNCONFIRMED', 'SENDING']

/** Combines what is known about a message. */
export function preparedFrom(
  { ref, intent }: { ref: MessageRef; intent: Intent },
  stored: StoredMessage | undefined,
  context: SourceContext,
  recipient: Recipient,
  { workspaceMode, sender, mail }: Omit<SendSettings, 'isRestored' | 'lostUntil'>,
): Prepared {
  const { category, listIds, confirmation } = context
  return {
    ...context,
    ref,
    intent,
    id: stored?.id ?? newId(),
    before: stored?.status ?? null,
    attempts: stored?.attempts ?? 0,
    header: stored && MAY_HAVE_ARRIVED.includes(stored.status) ? stored.messageId : null,
    retryAt: stored?.retryAt ?? null,
    contact: recipient,
    consentVersion: recipient.consentVersion,
    suppressedBy:
      suppressionOf(recipient, { category, listIds }) ??
      (confirmation !== null && confirmation.requestId === null ? 'NOT_PENDING' : null),
    workspaceMode,
    sender,
    mail,
  }
}

/** A test workspace sends no real mail, whatever SMTP is configured; a live one does unless the instance captures. */
export const isDelivered = ({ workspaceMode, mail }: Pick<SendSettings, 'workspaceMode' | 'mail'>): boolean =>
  workspaceMode === 'live' && mail === 'smtp'

/** Reads the recipient of one message. @returns `undefined` where the contact is gone */
export async function readRecipient(em: EntityManager, contactId: string): Promise<Recipient | undefined> {
  return (await readRecipients(em, [contactId])).get(contactId)
}
