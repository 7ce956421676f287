import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { classifyBounce } from '../verdict.ts'
import { type Json, objectIn, readJson, textIn } from './json.ts'
import { InvalidSignature, type Provider, type ProviderEvent } from './provider.ts'

/**
 * Twilio SendGrid's event webhook, signed.
 *
 * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event for its content
 * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features for
 * its signature
 */
export const sendgrid: Provider = {
  name: 'sendgrid',
  credential: 'The verification key of the signed event webhook',
  problemOf: (credential) =>
    keyOf(credential) ? undefined : 'must be the verification key of the signed event webhook, as SendGrid shows it',
  read({ header, body }, credential) {
    const key = keyOf(credential)
    const at = header('x-twilio-email-event-webhook-timestamp') ?? ''
    const signature = header('x-twilio-email-event-webhook-signature') ?? ''
    // The signature covers the raw bytes, which serializing again would change.
    const signed = Buffer.concat([Buffer.from(at), body])
    if (!key || !verify('sha256', signed, key, Buffer.from(signature, 'base64')))
      throw new InvalidSignature('The signature is wrong')
    const events = readJson(body.toString('utf8'))
    return (Array.isArray(events) ? events : []).flatMap((event) => eventOf(objectIn(event)))
  },
}

function keyOf(credential: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(credential, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ec' ? key : undefined
  } catch {
    return undefined
  }
}

function eventOf(event: Json): ProviderEvent[] {
  const verdict = verdictOf(event)
  if (!verdict) return []
  const messageId = textIn(event, 'smtp-id')
  return [
    {
      ...verdict,
      recipient: textIn(event, 'email'),
      messageId: messageId === '' ? null : messageId,
      returnPath: null,
      id: textIn(event, 'sg_event_id'),
    },
  ]
}

function verdictOf(event: Json): Pick<ProviderEvent, 'kind' | 'status' | 'diagnostic'> | undefined {
  const diagnostic = textIn(event, 'reason') || textIn(event, 'response') || null
  const status = textIn(event, 'status') || null
  const details = { status, diagnostic }
  switch (textIn(event, 'event')) {
    case 'bounce':
      return textIn(event, 'type') === 'expired'
        ? { ...details, kind: 'SOFT' }
        : { ...classifyBounce(status, diagnostic), diagnostic }
    case 'dropped':
      return droppedFor(`${textIn(event, 'type')} ${diagnostic ?? ''}`.toLowerCase(), details)
    case 'spamreport':
      return { ...details, kind: 'COMPLAINT' }
    // A SendGrid group does not map to a list, so this unsubscribes from everything.
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { ...details, kind: 'UNSUBSCRIBE' }
    default:
      return undefined
  }
}

/** Classifies an email that SendGrid did not send because of one of its own lists. */
function droppedFor(
  reason: string,
  details: Pick<ProviderEvent, 'status' | 'diagnostic'>,
): Pick<ProviderEvent, 'kind' | 'status' | 'diagnostic'> | undefined {
  if (reason.includes('bounced address') || /\binvalid\b(?! smtpapi)/.test(reason)) return { ...details, kind: 'HARD' }
  if (reason.includes('spam reporting')) return { ...details, kind: 'COMPLAINT' }
  if (reason.includes('unsubscribed')) return { ...details, kind: 'UNSUBSCRIBE' }
  return undefined
}
