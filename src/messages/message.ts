import { createHash } from 'node:crypto'

/**
 * Statuses of a message:
 * - QUEUED: a campaign recipient that has not been tried yet
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

/** An email step of an enrollment. `occurrence` counts how often the step was reached. */
export interface StepRef {
  kind: 'step'
  enrollmentId: string
  stepId: string
  occurrence: number
}

/** A recipient of a campaign. */
export interface CampaignRef {
  kind: 'campaign'
  campaignId: string
  contactId: string
}

/** The unique key of a message. The table has a unique index for each kind. */
export type MessageRef = StepRef | CampaignRef

/** The origin recorded in the message's unsubscribe link. */
export const originOf = (ref: MessageRef): string => (ref.kind === 'step' ? ref.enrollmentId : ref.campaignId)

/** IDs that identify a message in logs. */
export const logIdsOf = (ref: MessageRef): Record<string, string> =>
  ref.kind === 'step'
    ? { enrollmentId: ref.enrollmentId, stepId: ref.stepId }
    : { campaignId: ref.campaignId, contactId: ref.contactId }

/**
 * Returns the Message-ID header (RFC 5322, section 3.6.4). It is always the same for the same message, so that a recipient's
 * server can recognize a copy.
 */
export function messageIdHeader(ref: MessageRef, domain: string): string {
  const key =
    ref.kind === 'step' ? `${ref.enrollmentId}/${ref.stepId}/${ref.occurrence}` : `${ref.campaignId}/${ref.contactId}/0`
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 32)
  return `<${digest}@${domain}>`
}
