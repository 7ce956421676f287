import { accountApi, type Schemas } from './client.ts'

/**
 * Whether a device can sign in to this page: over TLS or on this machine, and by a name, which an address is none of (Web
 * Authentication Level 3, section 5.1.2).
 */
export const supportsPasskeys = (): boolean =>
  window.isSecureContext &&
  'PublicKeyCredential' in window &&
  !/^[\d.]+$/.test(location.hostname) &&
  !location.hostname.startsWith('[')

/** Whether somebody has said no to the browser, or let it wait: that is no error to tell them of. */
export const isPasskeyCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')

/** Signs in by a device of somebody: the browser asks which. */
export async function signInWithPasskey(): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { data } = await accountApi.POST('/session/passkey/begin')
  const { id, response } = await startAuthentication({ optionsJSON: data.data as never })
  const { clientDataJSON, authenticatorData, signature } = response
  await accountApi.POST('/session/passkey', {
    body: { credential: { id, response: { clientDataJSON, authenticatorData, signature } } },
  })
}

/** Adds this device. @param presentPassword of the account, where it has one */
export async function addPasskey(name: string, presentPassword: string): Promise<Schemas['Passkey']> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const { data } = await accountApi.POST('/account/passkeys/begin', {
    body: presentPassword === '' ? {} : { presentPassword },
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
