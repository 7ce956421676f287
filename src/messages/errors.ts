import { defineError } from '../platform/api-error.ts'

/** Why a message is not tried again. */
export const MESSAGE_NOT_FOUND = defineError('not-found', 'message_not_found', 'Message not found')
export const NOT_RETRYABLE = defineError(
  'taken',
  'message_not_retryable',
  'The message is SENT: only what is FAILED, CAPTURED or UNCONFIRMED is tried again',
)
export const DELIVERY_UNCONFIRMED = defineError(
  'taken',
  'delivery_unconfirmed',
  'Nobody knows whether an UNCONFIRMED message was sent, so that it may arrive twice: say "evenIfSent": true to have it sent all ' +
    'the same',
)
export const MESSAGE_NOT_UNCONFIRMED = defineError(
  'taken',
  'message_not_unconfirmed',
  'Only what is UNCONFIRMED, of an automation that still exists, can be dismissed',
)
export const WOULD_BE_CAPTURED = defineError(
  'taken',
  'would_be_captured',
  'Mail of this workspace is captured and not delivered, and so would this be again: it is a test workspace, or the ' +
    'instance has no SMTP_URL',
)
