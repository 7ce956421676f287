import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { BounceCategory } from '../categories.ts'
import { findCause } from '../verdict.ts'
import { type Json, objectIn, readJson, textIn } from './json.ts'
import { InvalidSignature, joinVerdict, type Provider, type ProviderEvent, type ProviderOutcome } from './provider.ts'
import { weighVerdict } from './weigh-verdict.ts'

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
  const outcome = outcomeOf(event)
  if (!outcome) return []
  const messageId = textIn(event, 'smtp-id')
  return [
    {
      ...outcome,
      recipient: textIn(event, 'email'),
      messageId: messageId === '' ? null : messageId,
      returnPath: null,
      id: textIn(event, 'sg_event_id'),
    },
  ]
}

/** The values of `bounce_classification`. A mailbox that is unavailable may be full, so its reply decides. */
const CLASSIFICATIONS: ReadonlyMap<string, BounceCategory> = new Map([
  ['invalid address', 'MAILBOX_NOT_FOUND'],
  ['technical', 'CONNECTION'],
  ['content', 'CONTENT'],
  ['reputation', 'REPUTATION'],
  ['frequency or volume too high', 'RATE_LIMIT'],
  ['frequency/volume', 'RATE_LIMIT'],
])

function outcomeOf(event: Json): ProviderOutcome | undefined {
  const diagnostic = textIn(event, 'reason') || textIn(event, 'response') || null
  const status = textIn(event, 'status') || null
  const type = textIn(event, 'type')
  const classification = textIn(event, 'bounce_classification')
  const providerVerdict = joinVerdict(type, classification)
  const details = { category: null, status, diagnostic, providerVerdict }
  switch (textIn(event, 'event')) {
    case 'bounce': {
      const category = type === 'expired' ? 'CONNECTION' : CLASSIFICATIONS.get(classification.toLowerCase())
      const verdict = { category, isPermanent: type === 'bounce' || type === '' }
      // When SendGrid gives up without a reply, the reason is its own.
      const reply = type === 'expired' && !/^\d{3}\b/.test(diagnostic ?? '') ? null : diagnostic
      return { ...weighVerdict(findCause(status, reply), verdict), diagnostic, providerVerdict }
    }
    case 'dropped':
      return droppedFor(`${type} ${diagnostic ?? ''}`.toLowerCase(), details)
    case 'delivered':
      return { ...details, kind: 'DELIVERED' }
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
function droppedFor(reason: string, details: Omit<ProviderOutcome, 'kind'>): ProviderOutcome | undefined {
  if (reason.includes('bounced address') || /\binvalid\b(?! smtpapi)/.test(reason))
    return { ...details, kind: 'HARD', category: 'MAILBOX_NOT_FOUND' }
  if (reason.includes('spam reporting')) return { ...details, kind: 'COMPLAINT' }
  if (reason.includes('unsubscribed')) return { ...details, kind: 'UNSUBSCRIBE' }
  return undefined
}
