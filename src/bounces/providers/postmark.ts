import { createHash, timingSafeEqual } from 'node:crypto'
import { classifyBounce } from '../verdict.ts'
import { type Json, objectIn, readJson, textIn } from './json.ts'
import { InvalidSignature, type Provider, type ProviderEvent } from './provider.ts'

/**
 * Postmark's webhooks. They are not signed. A password in the URL authenticates them (HTTP Basic authentication, RFC 7617).
 *
 * @see https://postmarkapp.com/developer/webhooks/webhooks-overview
 */
export const postmark: Provider = {
  name: 'postmark',
  credential: 'The user name and password of the webhook’s URL, as name:password',
  problemOf: (credential) =>
    /^[^:]+:.{16,}$/.test(credential) ? undefined : 'must be name:password, with a password of 16 characters or more',
  read({ header, body }, credential) {
    const [, given = ''] = /^Basic\s+([\w+/=-]+)$/i.exec(header('authorization') ?? '') ?? []
    if (!isSame(Buffer.from(given, 'base64').toString('utf8'), credential))
      throw new InvalidSignature('The password is wrong')
    const event = objectIn(readJson(body.toString('utf8')))
    const verdict = verdictOf(event)
    if (!verdict) return []
    return [
      {
        ...verdict,
        recipient: textIn(event, 'Email') || textIn(event, 'Recipient'),
        messageId: null,
        returnPath: null,
        id: ['RecordType', 'ID', 'MessageID', 'Recipient', 'ChangedAt'].map((name) => textIn(event, name)).join('/'),
      },
    ]
  },
}

/** Compares in constant time. */
const isSame = (given: string, known: string): boolean =>
  timingSafeEqual(...([given, known].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]))

type Verdict = Pick<ProviderEvent, 'kind' | 'status' | 'diagnostic'>

function verdictOf(event: Json): Verdict | undefined {
  const diagnostic = textIn(event, 'Details') || null
  const details = { status: null, diagnostic }
  switch (textIn(event, 'RecordType')) {
    case 'Bounce':
      return ofType(textIn(event, 'Type'), diagnostic)
    case 'SpamComplaint':
      return { ...details, kind: 'COMPLAINT' }
    case 'SubscriptionChange':
      return event['SuppressSending'] === true ? ofReason(textIn(event, 'SuppressionReason')) : undefined
    default:
      return undefined
  }
}

/** Classifies an event by its type, not its TypeCode, one of which has two meanings. */
function ofType(type: string, diagnostic: string | null): Verdict | undefined {
  const verdict = classifyBounce(null, diagnostic)
  const details = { status: verdict.status, diagnostic }
  switch (type) {
    case 'HardBounce':
    case 'BadEmailAddress':
      return { ...details, kind: verdict.kind === 'BLOCKED' ? 'BLOCKED' : 'HARD' }
    case 'SoftBounce':
    case 'Unknown':
      return { ...details, kind: 'SOFT' }
    case 'SpamNotification':
    case 'Blocked':
    case 'DMARCPolicy':
    case 'VirusNotification':
      return { ...details, kind: 'BLOCKED' }
    case 'SpamComplaint':
      return { ...details, kind: 'COMPLAINT' }
    case 'Unsubscribe':
      return { ...details, kind: 'UNSUBSCRIBE' }
    // Delays, out-of-office notices, and events that are not about an address.
    default:
      return undefined
  }
}

function ofReason(reason: string): Verdict | undefined {
  const details = { status: null, diagnostic: null }
  switch (reason) {
    case 'HardBounce':
      return { ...details, kind: 'HARD' }
    case 'SpamComplaint':
      return { ...details, kind: 'COMPLAINT' }
    case 'ManualSuppression':
      return { ...details, kind: 'UNSUBSCRIBE' }
    default:
      return undefined
  }
}
