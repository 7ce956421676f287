import { defineError } from '../platform/api-error.ts'

export const MESSAGE_NOT_FOUND = defineError('not-found', 'message_not_found', 'Message not found')
export const NOT_RETRYABLE = defineError(
  'taken',
  'message_not_retryable',
  'The message is SENT. Only FAILED, CAPTURED and UNCONFIRMED messages can be retried',
)
export const DELIVERY_UNCONFIRMED = defineError(
  'taken',
  'delivery_unconfirmed',
  'The outcome of an UNCONFIRMED message is unknown, so it may arrive twice. Pass "evenIfSent": true to send it ' +
    'anyway',
)
export const MESSAGE_NOT_UNCONFIRMED = defineError(
  'taken',
  'message_not_unconfirmed',
  'Only an UNCONFIRMED message of an existing automation can be dismissed',
)
export const WOULD_BE_CAPTURED = defineError(
  'taken',
  'would_be_captured',
  'The workspace captures its mail, so the message would be captured again. It is a test workspace, or the ' +
    'instance has no SMTP_URL',
)
