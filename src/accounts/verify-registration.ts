import {
  type RegistrationResponseJSON,
  type VerifiedRegistrationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'

type Options = Omit<Parameters<typeof verifyRegistrationResponse>[0], 'response'>

/**
 * Checks that a registration has no attestation or self attestation, which is all that the options request (Web Authentication
 * Level 3, section 5.4.7). Browsers remove any other.
 */
function isUnattested({ response }: RegistrationResponseJSON): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
  const format = attestation.get('fmt')
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
}

/**
 * Verifies a new key. Rejects attestation certificates unread: anyone can create them, and the library would fetch revocation
 * lists of any length from the URLs in them (SSRF).
 */
export async function verifyRegistration(
  credential: RegistrationResponseJSON,
  options: Options,
): Promise<VerifiedRegistrationResponse['registrationInfo']> {
  try {
    if (!isUnattested(credential)) return undefined
    return (await verifyRegistrationResponse({ response: credential, ...options })).registrationInfo
  } catch {
    return undefined
  }
}
