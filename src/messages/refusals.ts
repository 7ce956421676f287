import { reason } from '../platform/refusal.ts'

/** Why a message is not tried again. */
export const MESSAGE_NOT_FOUND = reason('not-found', 'message_not_found', 'Message not found')
export const NOT_RETRYABLE = reason(
  'taken',
  'message_not_retryable',
  'The message is SENT: only what is FAILED, CAPTURED or UNCONFIRMED is tried again',
)
export const MAY_ARRIVE_TWICE = reason(
  'taken',
  'may_arrive_twice',
  'Nobody knows whether an UNCONFIRMED message was sent, so that it may arrive twice: say "evenIfSent": true to have it sent all ' +
    'the same',
)
export const NOTHING_TO_DECIDE = reason(
  'taken',
  'nothing_to_decide',
  'Only what is UNCONFIRMED, of an automation that still exists, can be dismissed',
)
export const WOULD_BE_CAPTURED = reason(
  'taken',
  'would_be_captured',
  'Mail of this workspace is captured and not delivered, and so would this be again: it is a test workspace, or the ' +
    'installation has no SMTP_URL',
)
