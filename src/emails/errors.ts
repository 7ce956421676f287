import { defineError } from '../platform/api-error.ts'

export const EMAIL_NOT_FOUND = defineError('not-found', 'email_not_found', 'Email not found')
export const EMAIL_NOT_CANCELLABLE = defineError(
  'taken',
  'email_not_cancellable',
  'The email is SENT. Only an email that is QUEUED or DEFERRED can be cancelled',
)
export const FROM_NOT_ALLOWED = defineError(
  'invalid',
  'from_not_allowed',
  "from must be an address at example.com, the domain of the workspace's sender",
)
