import { createHash, timingSafeEqual } from 'node:crypto'
import { findCause } from '../verdict.ts'
import { type Json, objectIn, readJson, textIn } from './json.ts'
import { InvalidSignature, joinVerdict, type Provider, type ProviderOutcome } from './provider.ts'
import { type ProviderVerdict, weighVerdict } from './weigh-verdict.ts'

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
    const outcome = outcomeOf(event)
    if (!outcome) return []
    return [
      {
        ...outcome,
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

function outcomeOf(event: Json): ProviderOutcome | undefined {
  const diagnostic = textIn(event, 'Details') || null
  switch (textIn(event, 'RecordType')) {
    case 'Bounce':
      return outcomeOfType(textIn(event, 'Type'), diagnostic)
    case 'Delivery':
      return { kind: 'DELIVERED', category: null, status: null, diagnostic, providerVerdict: null }
    case 'SpamComplaint':
      return outcomeOfType('SpamComplaint', diagnostic)
    case 'SubscriptionChange':
      return event['SuppressSending'] === true ? outcomeOfReason(textIn(event, 'SuppressionReason')) : undefined
    default:
      return undefined
  }
}

/** Types of failed deliveries. */
const TYPES: ReadonlyMap<string, ProviderVerdict> = new Map(
  Object.entries({
    HardBounce: { category: undefined, isPermanent: true },
    BadEmailAddress: { category: 'MAILBOX_NOT_FOUND', isPermanent: true },
    SoftBounce: { category: undefined, isPermanent: false },
    Unknown: { category: undefined, isPermanent: false },
    DnsError: { category: 'CONNECTION', isPermanent: false },
    SpamNotification: { category: 'CONTENT', isPermanent: true },
    VirusNotification: { category: 'CONTENT', isPermanent: true },
    Blocked: { category: 'REPUTATION', isPermanent: true },
    DMARCPolicy: { category: 'AUTHENTICATION', isPermanent: true },
  } as const),
)

/** Classifies an event by its type, not its TypeCode, one of which has two meanings. */
function outcomeOfType(type: string, diagnostic: string | null): ProviderOutcome | undefined {
  const providerVerdict = joinVerdict(type)
  const details = { category: null, status: null, diagnostic, providerVerdict }
  if (type === 'SpamComplaint') return { ...details, kind: 'COMPLAINT' }
  if (type === 'Unsubscribe') return { ...details, kind: 'UNSUBSCRIBE' }
  const verdict = TYPES.get(type)
  // Delays, out-of-office notices, and events that are not about an address.
  if (!verdict) return undefined
  return { ...weighVerdict(findCause(null, diagnostic), verdict), diagnostic, providerVerdict }
}

function outcomeOfReason(reason: string): ProviderOutcome | undefined {
  const details = { category: null, status: null, diagnostic: null, providerVerdict: joinVerdict(reason) }
  switch (reason) {
    case 'HardBounce':
      return { ...details, kind: 'HARD', category: 'MAILBOX_NOT_FOUND' }
    case 'SpamComplaint':
      return { ...details, kind: 'COMPLAINT' }
    case 'ManualSuppression':
      return { ...details, kind: 'UNSUBSCRIBE' }
    default:
      return undefined
  }
}
