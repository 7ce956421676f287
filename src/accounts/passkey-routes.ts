import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { array } from 'yup'
import {
  accountOperation,
  deleted,
  deleteResultResponse,
  openOperation,
  RECENT_SIGN_IN_REQUIRED,
  sessionCookie,
  single,
  ok,
  created,
} from '../http/index.ts'
import { reauthenticate } from './require-recent-sign-in.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  listPasskeys,
  removePasskey,
  signInWithPasskey,
} from './passkeys.ts'
import { PASSKEY_NOT_FOUND, PASSKEY_REFUSED, TOO_MANY_ATTEMPTS, WRONG_CREDENTIALS, WRONG_PASSKEY } from './errors.ts'
import { newPasskeyInput, passkeyCredentialInput, currentPasswordInput } from './schemas.ts'
import { SIGN_IN_LIMIT_NOTE, SIGNED_IN } from './session-routes.ts'
import {
  creationOptionsResponse,
  passkeyResponse,
  presentPasskey,
  requestOptionsResponse,
  signedInResponse,
} from './responses.ts'

/** Constant fields that the library requires. */
const asGiven = { type: 'public-key', clientExtensionResults: {} } as const

/** Operations on passkeys. */
export const passkeyOperations = [
  openOperation({
    id: 'beginPasskeySignIn',
    method: 'POST',
    path: '/session/passkey/begin',
    tag: 'Account',
    summary: 'Start a sign-in with a passkey',
    description: `Returns the options for the browser. They are valid once, for ten minutes. ${SIGN_IN_LIMIT_NOTE}`,
    responses: { 200: { description: 'The request.', schema: single(requestOptionsResponse) } },
    errors: { 429: [TOO_MANY_ATTEMPTS] },
    handle: async ({ visitor }, { em }) => ok(await beginPasskeySignIn(em, visitor)),
  }),

  openOperation({
    id: 'signInWithPasskey',
    method: 'POST',
    path: '/session/passkey',
    tag: 'Account',
    summary: 'Sign in with a passkey',
    description: 'Takes the signature of a device, which identifies the account.',
    body: passkeyCredentialInput,
    responses: { 200: { description: 'Signed in. Sets the cookie.', schema: single(signedInResponse) } },
    errors: { 401: [WRONG_PASSKEY] },
    async handle({ body, visitor }, dependencies) {
      const { id } = body.credential
      const given = { ...asGiven, ...body.credential, rawId: id } as AuthenticationResponseJSON
      const token = await signInWithPasskey(dependencies, given, visitor)
      return { ...SIGNED_IN, headers: { 'Set-Cookie': sessionCookie(visitor, token) } }
    },
  }),

  accountOperation({
    id: 'listPasskeys',
    method: 'GET',
    path: '/account/passkeys',
    tag: 'Account',
    summary: 'List passkeys',
    description: 'The passkeys of the account, oldest first.',
    responses: { 200: { description: 'The passkeys.', schema: single(array().of(passkeyResponse).required()) } },
    handle: async ({ visitor }, { em }) => ok((await listPasskeys(em, visitor.session.account.id)).map(presentPasskey)),
  }),

  accountOperation({
    id: 'beginPasskey',
    method: 'POST',
    path: '/account/passkeys/begin',
    tag: 'Account',
    summary: 'Start adding a passkey',
    description:
      'Returns the options for the browser. Requires the current password, so that a device cannot be added in an unattended browser. ' +
      `If the account has no password, you must have signed in within the last ten minutes. ${SIGN_IN_LIMIT_NOTE}`,
    body: currentPasswordInput,
    responses: { 200: { description: 'The request.', schema: single(creationOptionsResponse) } },
    errors: { 401: [WRONG_CREDENTIALS, RECENT_SIGN_IN_REQUIRED], 429: [TOO_MANY_ATTEMPTS] },
    async handle({ body, visitor }, { em, passwords }) {
      const { sessionId, account } = visitor.session
      const present = body.currentPassword
      await reauthenticate(em, passwords, { accountId: account.id, sessionId, present })
      return ok(await beginPasskey(em, account, visitor))
    },
  }),

  accountOperation({
    id: 'addPasskey',
    method: 'POST',
    path: '/account/passkeys',
    tag: 'Account',
    summary: 'Add a passkey',
    description: 'Adds the key that a device created.',
    body: newPasskeyInput,
    responses: { 201: { description: 'Added.', schema: single(passkeyResponse) } },
    errors: { 400: [PASSKEY_REFUSED] },
    async handle({ body, visitor }, { em }) {
      const { name, credential } = body
      const given = { ...asGiven, ...credential, rawId: credential.id } as RegistrationResponseJSON
      const passkey = await addPasskey(em, visitor.session.account, { name, credential: given }, visitor)
      return created(presentPasskey(passkey))
    },
  }),

  accountOperation({
    id: 'removePasskey',
    method: 'DELETE',
    path: '/account/passkeys/{id}',
    tag: 'Account',
    summary: 'Remove a passkey',
    description: 'The device can no longer sign in. You must have signed in within the last ten minutes.',
    responses: { 200: { description: 'Removed.', schema: single(deleteResultResponse) } },
    errors: { 401: [RECENT_SIGN_IN_REQUIRED], 404: [PASSKEY_NOT_FOUND] },
    async handle({ params, visitor }, { em }) {
      const id = params['id']!
      await removePasskey(em, visitor.session, id, visitor)
      return deleted(id)
    },
  }),
]
