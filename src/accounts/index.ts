export { changePassword } from './change-password.ts'
export { Account, Challenge, Identity, Invitation, InvitationWorkspace, Member, Passkey, Session } from './entities.ts'
export { acceptInvitation, invite, inviteFirst, linkOf, type NewInvitation } from './invitations.ts'
export {
  changeRole,
  deleteAllAccounts,
  hasNoAccounts,
  listAllMembers,
  listMembers,
  listMemberships,
  removeMember,
} from './members.ts'
export { endEverything } from './end-everything.ts'
export { createSessionAdmission } from './admit-session.ts'
export { TOO_MANY_TEST_EMAILS } from './refusals.ts'
export { assertFewTestEmails } from './test-emails.ts'
export { forgetEnded } from './queries.ts'
export { ACCOUNT_LIMITS } from './refusals.ts'
export * as ACCOUNT_REFUSALS from './refusals.ts'
export { beginSession, endAllSessions, endSession, listSessions } from './sessions.ts'
export { type From, signIn } from './sign-in.ts'
