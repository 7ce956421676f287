import { MESSAGE_STATUSES, type MessageStatus } from './message.ts'

/**
 * Which status may follow which. `SENT`, `SUPPRESSED` and `DISMISSED` are final; `FAILED`, `CAPTURED` and `UNCONFIRMED` are
 * final unless a person asks for a retry.
 */
export const TRANSITIONS: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  QUEUED: ['SENDING', 'DEFERRED', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'UNCONFIRMED', 'DISMISSED'],
  DEFERRED: ['SENDING', 'DEFERRED', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'UNCONFIRMED', 'DISMISSED'],
  SENDING: ['SENT', 'DEFERRED', 'FAILED', 'UNCONFIRMED', 'CAPTURED', 'DISMISSED'],
  FAILED: ['SENDING', 'FAILED', 'CAPTURED', 'SUPPRESSED', 'UNCONFIRMED'],
  CAPTURED: ['SENDING', 'FAILED', 'CAPTURED', 'SUPPRESSED', 'UNCONFIRMED'],
  // The sender whose lease expired may still report what really happened.
  UNCONFIRMED: ['SENDING', 'SENT', 'FAILED', 'UNCONFIRMED', 'DISMISSED'],
  SENT: [],
  SUPPRESSED: [],
  DISMISSED: [],
}

/** The statuses from which a status may be reached. */
export const statusesBefore = (next: MessageStatus): readonly MessageStatus[] =>
  MESSAGE_STATUSES.filter((status) => TRANSITIONS[status].includes(next))

/** @throws {Error} where a status may not follow another. A message that has no row yet counts as QUEUED. */
export function assertTransition(before: MessageStatus, next: MessageStatus): void {
  if (!TRANSITIONS[before].includes(next)) throw new Error(`A message cannot go from ${before} to ${next}`)
}

/**
 * Why a message is being sent: its automation or campaign sends it, somebody asked for a retry, or an operator sends a copy
 * at the command line.
 */
export type Intent = 'send' | 'retry' | 'resend'

/** What somebody may ask to have sent again: nothing else is final and may not have arrived. */
export const RETRYABLE = ['FAILED', 'CAPTURED', 'UNCONFIRMED'] as const satisfies MessageStatus[]
export type Retryable = (typeof RETRYABLE)[number]

export const isRetryable = (status: MessageStatus): status is Retryable =>
  (RETRYABLE as readonly MessageStatus[]).includes(status)

/** How an attempt can end. */
export type AttemptStatus = 'SENT' | 'CAPTURED' | 'FAILED' | 'SUPPRESSED' | 'UNCONFIRMED' | 'DEFERRED'

/**
 * The status of a message after an attempt. An earlier attempt at an UNCONFIRMED message may have arrived, and a later one
 * that sent nothing does not change that. A retry that could not be sent yet leaves the message as it was.
 */
export function statusAfter(
  { before, intent }: { before: MessageStatus; intent: Intent },
  outcome: AttemptStatus,
): AttemptStatus {
  if (intent === 'send' || outcome === 'SENT') return outcome
  if (before === 'UNCONFIRMED') return 'UNCONFIRMED'
  if (outcome === 'DEFERRED' && isRetryable(before)) return before
  return outcome
}
