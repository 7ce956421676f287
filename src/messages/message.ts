import { createHash } from 'node:crypto'

/**
 * Statuses of a message:
 * - QUEUED: a campaign recipient or a transactional email that has not been tried yet
 * - SENDING: claimed; the outcome is not known yet
 * - DEFERRED: certainly not sent; tried again later
 * - SENT, CAPTURED: accepted by the server, or stored instead if mail is captured
 * - FAILED: rejected permanently; `error` has the reason
 * - UNCONFIRMED: the connection or the process broke after transmission began. Never sent again automatically
 * - SUPPRESSED: not sent, because the contact must not be mailed; `error` has the reason
 * - DISMISSED: an operator dismissed an UNCONFIRMED message, or its enrollment or campaign ended before it was sent
 *
 * `transitions.ts` defines which status may follow which.
 */
export const MESSAGE_STATUSES = [
  'QUEUED',
  'SENDING',
  'DEFERRED',
  'SENT',
  'CAPTURED',
  'FAILED',
  'UNCONFIRMED',
  'SUPPRESSED',
  'DISMISSED',
] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** Results of a message after it was sent or rejected, beside the opens and clicks of persons. */
export const MESSAGE_RESULTS = [
  /** Not sent, because the mail server rejected the recipient. */
  'REJECTED',
  'HARD_BOUNCED',
  'SOFT_BOUNCED',
  'BLOCKED',
  'COMPLAINED',
  'UNSUBSCRIBED',
  /** Opened by a scanner or a mail program. */
  'MACHINE_OPENED',
] as const
export type MessageResult = (typeof MESSAGE_RESULTS)[number]

/** Outcomes of messages, as reports count them. */
export const MESSAGE_OUTCOMES = [
  'OPENED',
  'NOT_OPENED',
  'MACHINE_OPENED',
  'CLICKED',
  'BOUNCED',
  'UNSUBSCRIBED',
  'COMPLAINED',
] as const
export type MessageOutcome = (typeof MESSAGE_OUTCOMES)[number]

/** An email step of an enrollment. A step is reached once. */
export interface StepRef {
  kind: 'step'
  enrollmentId: string
  stepId: string
}

/** A recipient of a campaign. */
export interface CampaignRef {
  kind: 'campaign'
  campaignId: string
  contactId: string
}

/** A transactional email, which has the same ID as its message. */
export interface EmailRef {
  kind: 'email'
  id: string
}

/** The unique key of a message. The table has a unique index for each kind. */
export type MessageRef = StepRef | CampaignRef | EmailRef

/** The origin recorded in the message's unsubscribe link. */
export function originOf(ref: MessageRef): string {
  switch (ref.kind) {
    case 'step':
      return ref.enrollmentId
    case 'campaign':
      return ref.campaignId
    case 'email':
      return ref.id
  }
}

/** IDs that identify a message in logs. */
export function logIdsOf(ref: MessageRef): Record<string, string> {
  switch (ref.kind) {
    case 'step':
      return { enrollmentId: ref.enrollmentId, stepId: ref.stepId }
    case 'campaign':
      return { campaignId: ref.campaignId, contactId: ref.contactId }
    case 'email':
      return { emailId: ref.id }
  }
}

function keyOf(ref: MessageRef): string {
  switch (ref.kind) {
    case 'step':
      return `${ref.enrollmentId}/${ref.stepId}`
    case 'campaign':
      return `${ref.campaignId}/${ref.contactId}`
    case 'email':
      return ref.id
  }
}

/**
 * Returns the Message-ID header (RFC 5322, section 3.6.4). It is always the same for the same message, so that a recipient's
 * server can recognize a copy.
 */
export function messageIdHeader(ref: MessageRef, domain: string): string {
  const digest = createHash('sha256').update(keyOf(ref)).digest('hex').slice(0, 32)
  return `<${digest}@${domain}>`
}
