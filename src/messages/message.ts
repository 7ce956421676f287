import { createHash } from 'node:crypto'

/**
 * Where a message is:
 * - QUEUED: a campaign's recipient that was not tried yet
 * - SENDING: claimed; whether the server has it is not known yet
 * - DEFERRED: certainly not sent, to be tried again
 * - SENT, CAPTURED: accepted by the server, or stored instead where mail is captured
 * - FAILED: rejected for good; `error` holds the reason
 * - UNCONFIRMED: the connection or the process broke after content had begun to flow. Never sent again by itself
 * - SUPPRESSED: not sent, because the contact must not be mailed; `error` says why
 * - DISMISSED: an operator dismissed an UNCONFIRMED one, or its enrollment or campaign ended before it was sent
 *
 * Which status may follow which is in `transitions.ts`.
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

/** What makes a message unique: the table has a unique key for each kind. */
export type MessageRef = StepRef | CampaignRef

/** What an unsubscribe link in the message says it came from. */
export const originOf = (ref: MessageRef): string => (ref.kind === 'step' ? ref.enrollmentId : ref.campaignId)

/** The IDs by which logs name a message. */
export const logIdsOf = (ref: MessageRef): Record<string, string> =>
  ref.kind === 'step'
    ? { enrollmentId: ref.enrollmentId, stepId: ref.stepId }
    : { campaignId: ref.campaignId, contactId: ref.contactId }

/**
 * The Message-ID header (RFC 5322, section 3.6.4). It is the same whenever it is computed for the same message, so that a
 * recipient's server can recognize a copy.
 */
export function messageIdHeader(ref: MessageRef, domain: string): string {
  const key =
    ref.kind === 'step' ? `${ref.enrollmentId}/${ref.stepId}/${ref.occurrence}` : `${ref.campaignId}/${ref.contactId}/0`
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 32)
  return `<${digest}@${domain}>`
}
