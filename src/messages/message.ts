import { createHash } from 'node:crypto'

/**
 * What became of one email to one contact:
 * - QUEUED: of a campaign, and not tried yet
 * - SENDING: claimed; whether the server has it is not known yet
 * - DEFERRED: known to be not sent, to be tried again
 * - SENT, CAPTURED: taken by the server, or stored instead where mail is captured
 * - FAILED: refused for good; `error` holds the reason
 * - UNCONFIRMED: the connection or the process broke between handing over and the answer. Never sent again by itself
 * - SUPPRESSED: not sent, because its contact is not to be mailed; `error` says why
 * - DISMISSED: left, because an operator has decided so of an UNCONFIRMED one, or its enrollment was ended before it was sent
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

/** What makes a message one: the ledger has a unique key on it. `visit` counts how often a step is come to. */
export interface MessageKey {
  enrollmentId: string
  stepId: string
  visit: number
}

/**
 * The Message-ID header (RFC 5322, section 3.6.4), the same whenever it is computed for the same key,
 * so that whoever receives it can tell a copy.
 */
export function messageIdHeader({ enrollmentId, stepId, visit }: MessageKey, domain: string): string {
  const digest = createHash('sha256').update(`${enrollmentId}/${stepId}/${visit}`).digest('hex').slice(0, 32)
  return `<${digest}@${domain}>`
}
