import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server'
import { verifyRegistration } from '../../src/accounts/verify-registration.ts'

describe('a passkey with an attestation', () => {
  // Self-made certificates in the format `android-key`. One names the address of its revocation list.
  const file = new URL('attested-passkey.json', import.meta.url)
  const credential = JSON.parse(readFileSync(file, 'utf8')) as RegistrationResponseJSON
  const options = {
    expectedChallenge: () => true,
    expectedOrigin: 'https://mail.example.com',
    expectedRPID: 'mail.example.com',
    supportedAlgorithmIDs: [-7],
  }

  const { fetch } = globalThis
  let requested: string[] = []
  beforeEach(() => {
    requested = []
    globalThis.fetch = (url) => {
      requested.push(url as string)
      return Promise.reject(new Error('There is no network'))
    }
  })
  afterEach(() => void (globalThis.fetch = fetch))

  it('makes the library fetch an address that the passkey names', async () => {
    await verifyRegistrationResponse({ response: credential, ...options }).catch(() => undefined)
    assert.deepEqual(requested, ['http://crl.example/list'])
  })

  it('returns undefined for an attested passkey without any network request', async () => {
    assert.equal(await verifyRegistration(credential, options), undefined)
    for (const attestationObject of ['', 'Zm9v', 'oA', '!'])
      assert.equal(
        await verifyRegistration({ ...credential, response: { ...credential.response, attestationObject } }, options),
        undefined,
      )
    assert.deepEqual(requested, [])
  })
})
