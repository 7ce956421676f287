import { accountApi, type Schemas } from './client.ts'

/**
 * Checks whether passkeys work on this page: they need HTTPS or localhost, and a host name instead of an IP address (Web Authentication Level 3, section 5.1.2).
 */
export const supportsPasskeys = (): boolean =>
  window.isSecureContext &&
  'PublicKeyCredential' in window &&
  !/^[\d.]+$/.test(location.hostname) &&
  !location.hostname.startsWith('[')

/** Checks whether the user cancelled the browser's passkey dialog or let it time out. That is not an error to show. */
export const isPasskeyCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')

/** Signs in with a passkey. The browser asks which one. */
export async function signInWithPasskey(): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { data } = await accountApi.POST('/session/passkey/begin')
  const { id, response } = await startAuthentication({ optionsJSON: data.data as never })
  const { clientDataJSON, authenticatorData, signature } = response
  await accountApi.POST('/session/passkey', {
    body: { credential: { id, response: { clientDataJSON, authenticatorData, signature } } },
  })
}

/** Adds this device as a passkey. @param currentPassword of the account, if it has one */
export async function addPasskey(name: string, currentPassword: string): Promise<Schemas['Passkey']> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const { data } = await accountApi.POST('/account/passkeys/begin', {
    body: currentPassword === '' ? {} : { currentPassword },
  })
  const { id, response } = await startRegistration({ optionsJSON: data.data as never })
  const { clientDataJSON, attestationObject, transports } = response
  const answer = await accountApi.POST('/account/passkeys', {
    body: {
      name,
      credential: { id, response: { clientDataJSON, attestationObject, ...(transports && { transports }) } },
    },
  })
  return answer.data.data
}
