import { defineError } from '../platform/api-error.ts'

export const WRONG_CREDENTIALS = defineError(
  'unauthenticated',
  'wrong_credentials',
  'The email or the password is wrong',
)
export const TOO_MANY_ATTEMPTS = defineError(
  'rate-limited',
  'too_many_attempts',
  'Too many sign-in attempts. Retry after 24 seconds.',
)
export const INVITATION_NOT_FOUND = defineError(
  'not-found',
  'invitation_not_found',
  'This link has already been used, has expired or was revoked. Ask for a new one.',
)
export const PASSWORD_RESET_NOT_FOUND = defineError(
  'not-found',
  'password_reset_not_found',
  'This link has already been used or has expired. Request a new one.',
)
export const INVITED_ANOTHER = defineError('invalid', 'invited_another', 'This link is for another email address')
export const SESSION_NOT_FOUND = defineError('not-found', 'session_not_found', 'Session not found')
export const MEMBER_NOT_FOUND = defineError('not-found', 'member_not_found', 'Member not found')
export const LAST_OWNER = defineError(
  'taken',
  'last_owner',
  'A workspace needs at least one owner. Make another member an owner first.',
)
export const WRONG_PASSKEY = defineError(
  'unauthenticated',
  'wrong_passkey',
  'This passkey is unknown, or its signature is not valid. Try again.',
)
export const PASSKEY_NOT_FOUND = defineError('not-found', 'passkey_not_found', 'Passkey not found')
export const PASSKEY_REFUSED = defineError(
  'invalid',
  'passkey_refused',
  'This passkey cannot be added: the request expired or came from another page. Try again.',
)
export const OIDC_NOT_CONFIGURED = defineError('not-found', 'oidc_not_configured', 'Single sign-on is not configured')
export const OIDC_FAILED = defineError('unauthenticated', 'oidc_failed', 'Single sign-on failed. Try again.')
export const NOT_INVITED = defineError(
  'unauthenticated',
  'not_invited',
  'No account has the email address of your single sign-on. Ask an owner for an invitation.',
)
export const TOO_MANY_WORKSPACES = defineError(
  'taken',
  'too_many_workspaces',
  'An account can own at most 6 workspaces, and an instance can have at most 100. An operator can create more with the CLI: workspace create.',
)
export const TOO_MANY_INVITATIONS = defineError(
  'taken',
  'too_many_invitations',
  'This workspace has 100 open invitations. Revoke some of them first.',
)
export const LIVE_FROM_LIVE = defineError(
  'forbidden',
  'live_from_live',
  'A live workspace can only be created from a live workspace',
)
/** Errors for unique constraints that concurrent requests violate. */
export const ACCOUNT_LIMITS = {
  accounts_email_key_key: WRONG_CREDENTIALS,
  identities_pkey: OIDC_FAILED,
  passkeys_credential_id_key: PASSKEY_REFUSED,
} as const
export const TOO_MANY_TEST_EMAILS = defineError(
  'rate-limited',
  'too_many_test_emails',
  'Too many test emails. Retry after 24 seconds.',
)
