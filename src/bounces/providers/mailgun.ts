import { createHmac, timingSafeEqual } from 'node:crypto'
import { findCause } from '../verdict.ts'
import { type Json, objectIn, readJson, textIn } from './json.ts'
import { InvalidSignature, joinVerdict, type Provider, type ProviderOutcome } from './provider.ts'
import { type ProviderVerdict, weighVerdict } from './weigh-verdict.ts'

/** Mailgun repeats a call for eight hours. */
const MAX_AGE_S = 24 * 3_600

/**
 * Mailgun's webhooks. The signature covers a time and a token, but not the event, so each token counts once.
 *
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const mailgun: Provider = {
  name: 'mailgun',
  credential: 'The HTTP webhook signing key',
  problemOf: (credential) => (/^\S{16,200}$/.test(credential) ? undefined : 'must be the HTTP webhook signing key'),
  idOf: ({ body }) => textIn(objectIn(objectIn(readJson(body.toString('utf8'))), 'signature'), 'token'),
  read({ body }, credential) {
    const call = objectIn(readJson(body.toString('utf8')))
    const signature = objectIn(call, 'signature')
    const at = textIn(signature, 'timestamp')
    const token = textIn(signature, 'token')
    // Calls of a subaccount may be signed by either account.
    const given = [textIn(signature, 'signature'), textIn(signature, 'parent-signature')]
    // Time and token are signed as one string. Fixed lengths prevent moving characters between them.
    if (!/^\d{10}$/.test(at) || !/^\w{50}$/.test(token) || !given.some((one) => isSigned(one, at + token, credential)))
      throw new InvalidSignature('The signature is wrong')
    if (Math.abs(Date.now() / 1_000 - Number(at)) > MAX_AGE_S) throw new InvalidSignature('The call is too old')
    const event = objectIn(call, 'event-data')
    const outcome = outcomeOf(event)
    if (!outcome) return []
    const messageId = textIn(objectIn(objectIn(event, 'message'), 'headers'), 'message-id')
    return [
      {
        ...outcome,
        recipient: textIn(event, 'recipient'),
        messageId: messageId === '' ? null : `<${messageId.replace(/^<|>$/g, '')}>`,
        returnPath: textIn(objectIn(event, 'envelope'), 'sender') || null,
        id: token,
      },
    ]
  },
}

function isSigned(given: string, text: string, key: string): boolean {
  const expected = createHmac('sha256', key).update(text).digest()
  const bytes = Buffer.from(given, 'hex')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

function outcomeOf(event: Json): ProviderOutcome | undefined {
  const delivery = objectIn(event, 'delivery-status')
  const message = textIn(delivery, 'message') || textIn(delivery, 'description')
  const diagnostic = message === '' ? null : [textIn(delivery, 'code'), message].join(' ').trim()
  const severity = textIn(event, 'severity')
  const reason = textIn(event, 'reason')
  const type = textIn(delivery, 'bounce-type')
  const providerVerdict = joinVerdict(severity, reason, type)
  const details = { category: null, status: null, diagnostic, providerVerdict }
  switch (textIn(event, 'event')) {
    case 'complained':
      return { ...details, kind: 'COMPLAINT' }
    case 'unsubscribed':
      return { ...details, kind: 'UNSUBSCRIBE' }
    case 'delivered':
      return { ...details, kind: 'DELIVERED' }
    case 'failed':
      break
    default:
      return undefined
  }
  // Temporary failures are retried.
  if (severity !== 'permanent') return undefined
  switch (reason) {
    case 'suppress-bounce':
      return { ...details, kind: 'HARD', category: 'MAILBOX_NOT_FOUND' }
    case 'suppress-complaint':
      return { ...details, kind: 'COMPLAINT' }
    case 'suppress-unsubscribe':
      return { ...details, kind: 'UNSUBSCRIBE' }
    default: {
      const reply = findCause(textIn(delivery, 'enhanced-code') || null, diagnostic)
      return { ...weighVerdict(reply, verdictOf(reason, type)), diagnostic, providerVerdict }
    }
  }
}

/** A failure that is permanent only because Mailgun gave up, or of type `soft`, is not about the address. */
function verdictOf(reason: string, type: string): ProviderVerdict {
  if (reason === 'espblock') return { category: 'REPUTATION', isPermanent: true }
  if (['old', 'greylisted'].includes(reason)) return { category: 'CONNECTION', isPermanent: false }
  return { category: undefined, isPermanent: type === 'hard' || (type === '' && reason === 'bounce') }
}
