import type { Recipient, SuppressedBy } from '../contacts/index.ts'
import type { SendingGate } from '../instance/index.ts'
import type { EmailContent, TemplateVariables } from '../rendering/index.ts'
import type { WorkspaceSender } from '../senders/index.ts'
import type { EmailCategory, SendFailurePolicy } from '../automation-engine/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { MessageRef, MessageStatus } from './message.ts'
import type { Intent } from './transitions.ts'

/** What a message's automation or campaign knows about it. */
export interface SourceContext {
  workspaceId: string
  contactId: string
  automationId: string | null
  content: EmailContent
  category: EmailCategory
  onSendFailure: SendFailurePolicy
  /** The lists because of which the message is sent: an opt-out of one of them suppresses it. */
  listIds: readonly string[]
  /** The event that started the enrollment. */
  event: NonNullable<TemplateVariables['event']> | null
  /** The list that the message asks the contact to confirm, and the pending request; `null` where it asks nothing. */
  confirmation: { listId: string; requestId: string | null } | null
  /** How often the enrollment was paused before. */
  pauseCount: number
}

/** How a workspace's mail is sent at this moment. */
export interface SendSettings extends SendingGate {
  workspaceMode: WorkspaceMode
  /** The workspace's own sender; `null` where it uses the instance's. */
  sender: WorkspaceSender | null
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
  /** Since when the contact is out of the automation by request, if so: a later request ends the retry. */
  abandonedAt: string | null
  contact: Pick<Recipient, 'email' | 'firstName' | 'metadata'>
  /** Optimistic lock: changes whenever what may be sent to the contact changes. */
  consentVersion: number
  /** Why the message is not to be sent; `null` where it is. */
  suppressedBy: SuppressedBy | null
  workspaceMode: WorkspaceMode
  sender: WorkspaceSender | null
  mail: 'smtp' | 'capture' | null
}
