import { openOperation, sessionCookie, single, stateCookie, ok } from '../http/index.ts'
import {
  INVITATION_NOT_FOUND,
  INVITED_ANOTHER,
  OIDC_NOT_CONFIGURED,
  NOT_INVITED,
  OIDC_FAILED,
  TOO_MANY_ATTEMPTS,
} from './errors.ts'
import { oidcCallbackInput, oidcSignInInput } from './schemas.ts'
import { SIGN_IN_LIMIT_NOTE, SIGNED_IN } from './session-routes.ts'
import { redirectResponse, signedInResponse, signInMethodsResponse } from './responses.ts'
import { beginOidcSignIn, completeOidcSignIn } from './oidc-sign-in.ts'

/** Operations of single sign-on. */
export const oidcOperations = [
  openOperation({
    id: 'getSignInMethods',
    method: 'GET',
    path: '/session/methods',
    tag: 'Account',
    summary: 'Get the sign-in methods',
    description:
      'Password and passkey are always available, single sign-on if it is configured (OIDC_ISSUER), password resets if mail is delivered.',
    responses: { 200: { description: 'The sign-in methods.', schema: single(signInMethodsResponse) } },
    handle: async (_request, { oidc, deliversMail }) =>
      ok({ oidc: oidc ? { name: oidc.name } : null, passwordReset: await deliversMail() }),
  }),

  openOperation({
    id: 'beginOidcSignIn',
    method: 'POST',
    path: '/session/oidc/begin',
    tag: 'Account',
    summary: 'Start single sign-on',
    description:
      'Returns the URL to send the browser to. The provider must allow the redirect URI `/sign-in/callback`. Complete the sign-in ' +
      'within ten minutes. ' +
      SIGN_IN_LIMIT_NOTE,
    body: oidcSignInInput,
    responses: { 200: { description: 'The URL.', schema: single(redirectResponse) } },
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
    summary: 'Complete single sign-on',
    description:
      'Takes the query of the redirect URI. Signs in people who have an account with the email address that the provider verified, ' +
      'or an invitation.',
    body: oidcCallbackInput,
    responses: { 200: { description: 'Signed in. Sets the cookie.', schema: single(signedInResponse) } },
    errors: {
      400: [INVITED_ANOTHER],
      401: [OIDC_FAILED, NOT_INVITED],
      404: [OIDC_NOT_CONFIGURED, INVITATION_NOT_FOUND],
    },
    async handle({ body, visitor }, dependencies) {
      const token = await completeOidcSignIn(dependencies, { query: body.query, state: visitor.state }, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, token) } }
    },
  }),
]
