export { createSessionAuthentication } from './authenticate-session.ts'
export { revokeAllSessionsAndInvitations } from './revoke-all.ts'
export {
  Account,
  Challenge,
  Identity,
  Invitation,
  InvitationWorkspace,
  MailedInvitation,
  Member,
  Passkey,
  Session,
} from './entities.ts'
export {
  createInvitation,
  createFirstInvitation,
  invitationUrl,
  type InvitationMail,
  mailInvitation,
} from './invitations.ts'
export { deleteAllAccounts, findMembersByEmail, listAllMembers } from './members.ts'
export { notifyOwners } from './notify-owners.ts'
export { deleteExpired, emailOfAccount, findOwnersAddress } from './queries.ts'
export { requireRecentSignIn } from './require-recent-sign-in.ts'
export { ACCOUNT_LIMITS, MEMBER_NOT_FOUND, TOO_MANY_TEST_EMAILS } from './errors.ts'
export { createPasswordReset, discardPasswordReset, passwordResetUrl } from './reset-password.ts'
export { limitTestEmails } from './rate-limits.ts'
