import { defineError } from '../platform/api-error.ts'

export const WRONG_CREDENTIALS = defineError(
  'unauthenticated',
  'wrong_credentials',
  'The email or the password is wrong',
)
export const TOO_MANY_ATTEMPTS = defineError(
  'rate-limited',
  'too_many_attempts',
  'Too many tries to sign in. Retry after 24 seconds.',
)
export const INVITATION_NOT_FOUND = defineError(
  'not-found',
  'invitation_not_found',
  'This link was used already, has ended or was taken back. Ask for another one',
)
export const INVITED_ANOTHER = defineError(
  'invalid',
  'invited_another',
  'This link is for another email than the one that was given',
)
export const SESSION_NOT_FOUND = defineError('not-found', 'session_not_found', 'Session not found')
export const MEMBER_NOT_FOUND = defineError('not-found', 'member_not_found', 'Member not found')
export const LAST_OWNER = defineError(
  'taken',
  'last_owner',
  'This is the last owner of the workspace: make somebody else one before',
)
export const WRONG_PASSKEY = defineError(
  'unauthenticated',
  'wrong_passkey',
  'This passkey is not known here, or what it signed is not what it was asked for. Try again',
)
export const PASSKEY_NOT_FOUND = defineError('not-found', 'passkey_not_found', 'Passkey not found')
export const PASSKEY_REFUSED = defineError(
  'invalid',
  'passkey_refused',
  'This passkey cannot be taken: it was asked for too long ago, or by another page. Try again',
)
export const SIGN_IN_AGAIN = defineError(
  'unauthenticated',
  'sign_in_again',
  'This is done within ten minutes of signing in. Sign out, and in again',
)
export const OIDC_NOT_CONFIGURED = defineError(
  'not-found',
  'oidc_not_configured',
  'Signing in by another service is not set up here',
)
export const OIDC_FAILED = defineError(
  'unauthenticated',
  'oidc_failed',
  'The other service did not say who you are. Begin again',
)
export const NOT_INVITED = defineError(
  'unauthenticated',
  'not_invited',
  'The other service knows you, and nobody has an account here by that email. Ask an owner for an invitation',
)
export const TOO_MANY_WORKSPACES = defineError(
  'taken',
  'too_many_workspaces',
  'You own 6 workspaces, or there are 100 in all, which is as many as can be made here. More are made at the command line: workspace create',
)
export const TOO_MANY_INVITATIONS = defineError(
  'taken',
  'too_many_invitations',
  'There are 100 links to this workspace that nobody has accepted: take some of them back',
)
export const LIVE_FROM_LIVE = defineError(
  'forbidden',
  'live_from_live',
  'A live workspace is made from a live one: whoever owns a test workspace alone delivers no mail',
)
/** Of two who become the same account at the same moment. */
export const ACCOUNT_LIMITS = {
  accounts_email_key_key: WRONG_CREDENTIALS,
  identities_pkey: OIDC_FAILED,
  passkeys_credential_id_key: PASSKEY_REFUSED,
} as const
export const TOO_MANY_TEST_EMAILS = defineError(
  'rate-limited',
  'too_many_test_emails',
  'Ten test emails a minute are enough to look at. Retry after 24 seconds.',
)
