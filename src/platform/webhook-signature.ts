import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** The size that Standard Webhooks recommends is 24 to 64 bytes. */
const SECRET_BYTES = 32

/** A new secret, in the form of Standard Webhooks. */
export const newSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/**
 * Signs a request. @returns the headers of Standard Webhooks
 *
 * @param at the time of the attempt
 * @see https://www.standardwebhooks.com
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
