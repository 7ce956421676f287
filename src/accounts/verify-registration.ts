import {
  type RegistrationResponseJSON,
  type VerifiedRegistrationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'

type Options = Omit<Parameters<typeof verifyRegistrationResponse>[0], 'response'>

/**
 * Whether a device tells nothing of who has made it, or what its own key says of that: it is asked for no more (Web Authentication Level 3,
 * section 5.4.7), and browsers take the rest out.
 */
function isUnattested({ response }: RegistrationResponseJSON): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
  const format = attestation.get('fmt')
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
}

/**
 * Verifies what a device has made. One that tells who has made it is refused unread: it does so by certificates, which can be anybody's, and
 * the library asks at addresses that stand in them, whatever those are, for a list of any length.
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
