import type { SuppressedBy, TemplateContact } from '../contacts/index.ts'
import type { SendingGate } from '../instance/index.ts'
import type { EmailContent, TemplateVariables } from '../rendering/index.ts'
import type { WorkspaceSender } from '../senders/index.ts'
import type { EmailCategory, SendFailurePolicy } from '../automation-engine/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { MessageRef, MessageStatus } from './message.ts'
import type { Intent } from './transitions.ts'

/** The part of the send context that a message's automation or campaign provides. */
export interface SourceContext {
  workspaceId: string
  contactId: string
  automationId: string | null
  content: EmailContent
  category: EmailCategory
  onSendFailure: SendFailurePolicy
  /** The lists because of which the contact gets the message. Opting out of one of them suppresses it. */
  listIds: readonly string[]
  /** The event that started the enrollment. */
  event: NonNullable<TemplateVariables['event']> | null
  /** The responses that webhooks of the enrollment saved, by name. */
  steps?: Readonly<Record<string, unknown>>
  /** The list that the message asks the contact to confirm, and the pending request; `null` if it asks for no confirmation. */
  confirmation: { listId: string; requestId: string | null } | null
  /** How often the enrollment has been paused so far. */
  pauseCount: number
  /** Options of a transactional email. */
  email?: EmailOptions
}

/** Options of a transactional email beside its content. */
interface EmailOptions {
  /** The variable `data` of the template; `null` if the content is sent as it is. */
  data: Readonly<Record<string, unknown>> | null
  /** `Name <address>`; `null` for the sender of the workspace. */
  from: string | null
  replyTo: string | null
  headers: Readonly<Record<string, string>>
  /** Whether it has attachments, which are read when a connection is free: they can be large. */
  hasAttachments: boolean
  /** When it was to be sent: its time, or when it was accepted. */
  wantedAt: Date
}

/** The current send settings of a workspace. */
export interface SendSettings extends SendingGate {
  workspaceMode: WorkspaceMode
  /** The workspace's own sender; `null` if it uses the instance's. */
  sender: WorkspaceSender | null
}

/**
 * A prepared message: what to send, to whom, and what the claim compares. It is read without locks; the claim fails if any of it
 * has changed.
 */
export interface Prepared extends SourceContext {
  ref: MessageRef
  intent: Intent
  /** The row's ID, or a new one if the message has no row yet. */
  id: string
  /** The status that the attempt read; `null` if the message has no row yet. */
  before: MessageStatus | null
  /** Number of earlier attempts. */
  attempts: number
  /** The Message-ID header of an earlier attempt that may have arrived. */
  header: string | null
  /** When a retry was requested, if one is pending. */
  retryAt: string | null
  /** When the enrollment was ended by request, if it was: a later request ends the retry. */
  abandonedAt: string | null
  contact: TemplateContact
  /** Optimistic lock: changes with every change to what may be sent to the contact. */
  consentVersion: number
  /** Why the message must not be sent; `null` if it may be. */
  suppressedBy: SuppressedBy | null
  workspaceMode: WorkspaceMode
  sender: WorkspaceSender | null
  mail: 'smtp' | 'capture' | null
}
