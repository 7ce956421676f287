import { array } from 'yup'
import {
  accountOperation,
  type AccountsRequest,
  deleted,
  deleteResultResponse,
  openOperation,
  RECENT_SIGN_IN_REQUIRED,
  sessionCookie,
  single,
  ok,
} from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { WEAK_PASSWORD } from '../platform/passwords.ts'
import { changePassword } from './change-password.ts'
import { acceptInvitation, findInvitation } from './invitations.ts'
import { listMemberships } from './members.ts'
import {
  INVITATION_NOT_FOUND,
  INVITED_ANOTHER,
  PASSWORD_RESET_NOT_FOUND,
  SESSION_NOT_FOUND,
  TOO_MANY_ATTEMPTS,
  WRONG_CREDENTIALS,
} from './errors.ts'
import { requestPasswordReset, resetPassword } from './reset-password.ts'
import {
  acceptInput,
  invitationLinkInput,
  passwordInput,
  passwordResetInput,
  passwordResetRequestInput,
  signInInput,
} from './schemas.ts'
import { endSession, listSessions, signOut, signOutEverywhere } from './sessions.ts'
import {
  listedSessionResponse,
  invitationDetailsResponse,
  presentMembership,
  passwordResetResponse,
  presentInvitationDetails,
  presentSession,
  sessionResponse,
  signedInResponse,
} from './responses.ts'
import { signIn } from './sign-in.ts'

const BY_COOKIE = 'The session is an HttpOnly cookie, which is accepted only from pages of this service.'
export const SIGN_IN_LIMIT_NOTE = 'Limited to 10 attempts per minute from an IP address, and 30 for an account.'

export const SIGNED_IN = ok({ signedIn: true })

async function presentSignedIn(
  em: EntityManager,
  { sessionId, account }: AccountsRequest<unknown>['visitor']['session'],
) {
  const members = await listMemberships(em, account.id)
  return { id: sessionId, account, workspaces: members.map(presentMembership) }
}

/** Operations on sessions and the caller's own account. */
export const sessionOperations = [
  openOperation({
    id: 'signIn',
    method: 'POST',
    path: '/session',
    tag: 'Account',
    summary: 'Sign in',
    description: `Signs in by email and password. ${BY_COOKIE} ${SIGN_IN_LIMIT_NOTE}`,
    body: signInInput,
    responses: { 200: { description: 'Signed in. Sets the cookie.', schema: single(signedInResponse) } },
    errors: { 401: [WRONG_CREDENTIALS], 429: [TOO_MANY_ATTEMPTS] },
    async handle({ body, visitor }, dependencies) {
      const token = await signIn(dependencies, body, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, token) } }
    },
  }),

  accountOperation({
    id: 'getSession',
    method: 'GET',
    path: '/session',
    tag: 'Account',
    summary: 'Get the current session',
    description: 'The account and its workspaces, with the role in each.',
    responses: { 200: { description: 'The session.', schema: single(sessionResponse) } },
    handle: async ({ visitor }, { em }) => ok(await presentSignedIn(em, visitor.session)),
  }),

  accountOperation({
    id: 'signOut',
    method: 'DELETE',
    path: '/session',
    tag: 'Account',
    summary: 'Sign out',
    description: 'Ends the session of this browser and deletes the cookie.',
    responses: { 200: { description: 'Ended.', schema: single(deleteResultResponse) } },
    async handle({ visitor }, dependencies) {
      const { sessionId } = visitor.session
      await signOut(dependencies, visitor.session, visitor)
      return { ...deleted(sessionId), headers: { 'Set-Cookie': sessionCookie(visitor, null) } }
    },
  }),

  accountOperation({
    id: 'listSessions',
    method: 'GET',
    path: '/sessions',
    tag: 'Account',
    summary: 'List sessions',
    description:
      'The sessions of the account, newest first. A session ends after 14 days without use, and after 90 days at the latest.',
    responses: {
      200: { description: 'The sessions.', schema: single(array().of(listedSessionResponse).required()) },
    },
    async handle({ visitor }, { em }) {
      const { sessionId, account } = visitor.session
      const sessions = await listSessions(em, account.id)
      return ok(sessions.map((session) => presentSession(session, sessionId)))
    },
  }),

  accountOperation({
    id: 'endSession',
    method: 'DELETE',
    path: '/sessions/{id}',
    tag: 'Account',
    summary: 'End a session',
    description:
      'Ends a session of the account. To end another session, you must have signed in within the last ten minutes, so that a stolen ' +
      'session cannot lock you out. Signing out everywhere is always possible.',
    responses: { 200: { description: 'Ended.', schema: single(deleteResultResponse) } },
    errors: { 401: [RECENT_SIGN_IN_REQUIRED], 404: [SESSION_NOT_FOUND] },
    async handle({ params, visitor }, dependencies) {
      const id = params['id']!
      await endSession(dependencies, visitor.session, id, visitor)
      return deleted(id)
    },
  }),

  accountOperation({
    id: 'endAllSessions',
    method: 'DELETE',
    path: '/sessions',
    tag: 'Account',
    summary: 'Sign out everywhere',
    description: 'Ends all sessions of the account, including this one.',
    responses: { 200: { description: 'Ended.', schema: single(deleteResultResponse) } },
    async handle({ visitor }, dependencies) {
      const { account } = visitor.session
      await signOutEverywhere(dependencies, visitor.session, visitor)
      return { ...deleted(account.id), headers: { 'Set-Cookie': sessionCookie(visitor, null) } }
    },
  }),

  accountOperation({
    id: 'changePassword',
    method: 'PUT',
    path: '/account/password',
    tag: 'Account',
    summary: 'Change the password',
    description: `Ends all sessions of the account and starts a new one in this browser. To set a first password, you must have signed in within the last ten minutes. ${SIGN_IN_LIMIT_NOTE}`,
    body: passwordInput,
    responses: { 200: { description: 'Changed. Sets a new cookie.', schema: single(signedInResponse) } },
    errors: { 400: [WEAK_PASSWORD], 401: [WRONG_CREDENTIALS, RECENT_SIGN_IN_REQUIRED], 429: [TOO_MANY_ATTEMPTS] },
    async handle({ body, visitor }, { em, passwords }) {
      const { sessionId, account } = visitor.session
      const { currentPassword: present, password } = body
      const given = { accountId: account.id, sessionId, present, password }
      const session = await changePassword(em, passwords, given, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, session) } }
    },
  }),

  openOperation({
    id: 'requestPasswordReset',
    method: 'POST',
    path: '/password-reset',
    tag: 'Account',
    summary: 'Request a password reset',
    description:
      'Emails a link that sets a new password, once, within an hour. At most three are valid at a time. The response is the same ' +
      'if the address has no account or no password. Instances that capture their mail send none.',
    body: passwordResetRequestInput,
    responses: { 202: { description: 'Requested.', schema: single(passwordResetResponse) } },
    errors: { 429: [TOO_MANY_ATTEMPTS] },
    async handle({ body, visitor }, { em }) {
      await requestPasswordReset(em, body.email, visitor)
      return { status: 202, body: { data: { requested: true } } }
    },
  }),

  openOperation({
    id: 'resetPassword',
    method: 'POST',
    path: '/password-reset/complete',
    tag: 'Account',
    summary: 'Reset a password',
    description: `Sets a new password with a link from an email. Ends all sessions and removes the passkeys of the account, and signs in. ${SIGN_IN_LIMIT_NOTE}`,
    body: passwordResetInput,
    responses: { 200: { description: 'Reset and signed in. Sets the cookie.', schema: single(signedInResponse) } },
    errors: { 400: [WEAK_PASSWORD], 404: [PASSWORD_RESET_NOT_FOUND], 429: [TOO_MANY_ATTEMPTS] },
    async handle({ body, visitor }, dependencies) {
      const session = await resetPassword(dependencies, body, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, session) } }
    },
  }),

  openOperation({
    id: 'getInvitation',
    method: 'POST',
    path: '/invitation',
    tag: 'Account',
    summary: 'Get an invitation',
    description: 'Returns the workspaces and the role of an invitation, without consuming it.',
    body: invitationLinkInput,
    responses: { 200: { description: 'The invitation.', schema: single(invitationDetailsResponse) } },
    errors: { 404: [INVITATION_NOT_FOUND] },
    handle: async ({ body }, { em }) => ok(presentInvitationDetails(await findInvitation(em, body.token))),
  }),

  openOperation({
    id: 'acceptInvitation',
    method: 'POST',
    path: '/invitation/accept',
    tag: 'Account',
    summary: 'Accept an invitation',
    description:
      'Creates an account with the email and the password, or uses the existing account of that email if the password matches. ' +
      `Adds it to the workspaces, signs in and consumes the link. ${SIGN_IN_LIMIT_NOTE}`,
    body: acceptInput,
    responses: {
      200: { description: 'Accepted and signed in. Sets the cookie.', schema: single(signedInResponse) },
    },
    errors: {
      400: [WEAK_PASSWORD, INVITED_ANOTHER],
      401: [WRONG_CREDENTIALS],
      404: [INVITATION_NOT_FOUND],
      429: [TOO_MANY_ATTEMPTS],
    },
    async handle({ body, visitor }, { em, passwords }) {
      const { session } = await acceptInvitation(em, passwords, body, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, session) } }
    },
  }),
]
