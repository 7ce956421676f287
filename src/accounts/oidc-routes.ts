import { openOperation, sessionCookie, single, stateCookie, ok } from '../http/index.ts'
import {
  INVITATION_NOT_FOUND,
  INVITED_ANOTHER,
  OIDC_NOT_CONFIGURED,
  NOT_INVITED,
  OIDC_FAILED,
  TOO_MANY_ATTEMPTS,
} from './errors.ts'
import { cameBackInput, oidcSignInInput } from './schemas.ts'
import { GUESSES, SIGNED_IN } from './session-routes.ts'
import { departureResponse, signedInResponse, waysResponse } from './responses.ts'
import { beginOidcSignIn, completeOidcSignIn } from './oidc-sign-in.ts'

/** Signing in by another service. */
export const oidcOperations = [
  openOperation({
    id: 'getWaysToSignIn',
    method: 'GET',
    path: '/session/ways',
    tag: 'Account',
    summary: 'Get how one can sign in',
    description: 'By password and passkey, always; and by another service, where one is set up (OIDC_ISSUER).',
    responses: { 200: { description: 'The ways.', schema: single(waysResponse) } },
    handle: (_request, { oidc }) => ok({ oidc: oidc ? { name: oidc.name } : null }),
  }),

  openOperation({
    id: 'beginOidcSignIn',
    method: 'POST',
    path: '/session/oidc/begin',
    tag: 'Account',
    summary: 'Begin to sign in by another service',
    description:
      'Where to send the browser. It comes back to `/sign-in/callback`, which has to be allowed there; within ten minutes, and once. ' +
      GUESSES,
    body: oidcSignInInput,
    responses: { 200: { description: 'Where to.', schema: single(departureResponse) } },
    errors: { 401: [OIDC_FAILED], 404: [OIDC_NOT_CONFIGURED], 429: [TOO_MANY_ATTEMPTS] },
    async handle({ body, visitor }, { em, oidc }) {
      const { url, state } = await beginOidcSignIn(em, oidc, body.invitation, visitor)
      return { status: 200, body: { data: { url } }, headers: { 'Set-Cookie': stateCookie(visitor, state) } }
    },
  }),

  openOperation({
    id: 'completeOidcSignIn',
    method: 'POST',
    path: '/session/oidc',
    tag: 'Account',
    summary: 'Sign in by another service',
    description:
      'By what it sent the browser back with. Whoever has an account by the email that it has verified is signed in, and whoever has ' +
      'an invitation.',
    body: cameBackInput,
    responses: { 200: { description: 'Signed in: the cookie is set.', schema: single(signedInResponse) } },
    errors: {
      400: [INVITED_ANOTHER],
      401: [OIDC_FAILED, NOT_INVITED],
      404: [OIDC_NOT_CONFIGURED, INVITATION_NOT_FOUND],
    },
    async handle({ body, visitor }, { em, oidc }) {
      const token = await completeOidcSignIn(em, oidc, { query: body.query, state: visitor.state }, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, token) } }
    },
  }),
]
