import { MESSAGE_STATUSES, type MessageStatus } from './message.ts'

/**
 * Defines which status may follow which. `SENT`, `SUPPRESSED` and `DISMISSED` are final; `FAILED`, `CAPTURED` and `UNCONFIRMED`
 * are final unless a person requests a retry.
 */
export const TRANSITIONS: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  QUEUED: ['SENDING', 'DEFERRED', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'UNCONFIRMED', 'DISMISSED'],
  DEFERRED: ['SENDING', 'DEFERRED', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'UNCONFIRMED', 'DISMISSED'],
  // QUEUED: it was claimed ahead, and its transmission did not begin.
  SENDING: ['QUEUED', 'SENT', 'DEFERRED', 'FAILED', 'UNCONFIRMED', 'CAPTURED', 'DISMISSED'],
  FAILED: ['SENDING', 'FAILED', 'CAPTURED', 'SUPPRESSED', 'UNCONFIRMED'],
  CAPTURED: ['SENDING', 'FAILED', 'CAPTURED', 'SUPPRESSED', 'UNCONFIRMED'],
  // The sender whose lease expired may still report the true outcome.
  UNCONFIRMED: ['SENDING', 'SENT', 'FAILED', 'UNCONFIRMED', 'DISMISSED'],
  SENT: [],
  SUPPRESSED: [],
  DISMISSED: [],
}

/** The statuses from which a status may be reached. */
export const statusesBefore = (next: MessageStatus): readonly MessageStatus[] =>
  MESSAGE_STATUSES.filter((status) => TRANSITIONS[status].includes(next))

/** @throws {Error} if a status may not follow another. A message without a row counts as QUEUED */
export function assertTransition(before: MessageStatus, next: MessageStatus): void {
  if (!TRANSITIONS[before].includes(next)) throw new Error(`A message cannot go from ${before} to ${next}`)
}

/**
 * Why a message is sent: by its automation or campaign, as a requested retry, or as a copy by an operator at the command line.
 */
export type Intent = 'send' | 'retry' | 'resend'

/** Statuses that can be retried: every other final status means that the message was delivered or must not be. */
export const RETRYABLE = ['FAILED', 'CAPTURED', 'UNCONFIRMED'] as const satisfies MessageStatus[]
export type Retryable = (typeof RETRYABLE)[number]

export const isRetryable = (status: MessageStatus): status is Retryable =>
  (RETRYABLE as readonly MessageStatus[]).includes(status)

/** How an attempt can end. */
export type AttemptStatus = 'SENT' | 'CAPTURED' | 'FAILED' | 'SUPPRESSED' | 'UNCONFIRMED' | 'DEFERRED'

/**
 * Returns the status of a message after an attempt. An earlier attempt at an UNCONFIRMED message may have arrived, and a later
 * one that sent nothing does not change that. A retry that could not be sent yet leaves the message as it was.
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
