import { DriplineError } from './error.js'
import type { components } from './schema.js'

/** An event that Dripline sends. Its `type` determines the type of its `data`. */
export type WebhookEvent = components['schemas']['WebhookEvent']

/** Maximum difference between the clocks of the sender and the receiver, in seconds, as in the specification. */
const TOLERANCE_SECONDS = 300

export interface WebhookRequest {
  /** The body of the request as it arrived, before it is parsed. */
  payload: string | Uint8Array
  /** The headers of the request. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** `whsec_…` */
  secret: string
}

/**
 * Verifies that a webhook comes from Dripline (Standard Webhooks). While a secret is rotated, a request has several signatures, and
 * one of them must match.
 *
 * A webhook can arrive twice. Use the header `webhook-id` to ignore repeated requests.
 *
 * @returns the parsed body; `undefined` if it is empty
 * @throws {DriplineError} `webhook_signature_invalid`, or `webhook_too_old` if the timestamp is more than five minutes off
 * @see https://www.standardwebhooks.com
 */
export async function verifyWebhook<Payload = WebhookEvent>({
  payload,
  headers,
  secret,
}: WebhookRequest): Promise<Payload> {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) {
    throw new TypeError('payload must be the body as text or bytes, before it is parsed')
  }
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,12}$/.test(timestamp)) throw invalid('The header webhook-timestamp is not a time.')
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new DriplineError('The webhook is more than five minutes old, or a clock is wrong.', {
      code: 'webhook_too_old',
    })
  }
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  const key = await importKey(secret)
  for (const signature of signatures) {
    const [version, encoded = ''] = signature.split(',')
    const given = version === 'v1' ? decode(encoded) : undefined
    // Web Crypto compares in constant time.
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) {
      const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload)
      return (text === '' ? undefined : JSON.parse(text)) as Payload
    }
  }
  throw invalid('No signature of the webhook matches. Check the secret, and pass the body before it is parsed.')
}

const invalid = (message: string) => new DriplineError(message, { code: 'webhook_signature_invalid' })

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw invalid(`The header ${name} is missing.`)
  return value
}

function importKey(secret: string) {
  const key = decode(secret.replace(/^whsec_/, ''))
  // The error does not contain the value, because it is a secret.
  if (!key || key.length === 0) throw new TypeError('secret must look like whsec_…')
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Decodes base64. Returns `undefined` if it is not valid. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
