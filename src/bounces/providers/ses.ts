import { verify, X509Certificate } from 'node:crypto'
import { findCause } from '../verdict.ts'
import { type Json, listIn, objectIn, readJson, textIn } from './json.ts'
import {
  type FetchText,
  InvalidSignature,
  joinVerdict,
  type Provider,
  type ProviderEvent,
  type ProviderOutcome,
} from './provider.ts'
import { type ProviderVerdict, weighVerdict } from './weigh-verdict.ts'

/**
 * Amazon SES, through notifications of Amazon SNS. Amazon signs the calls for every customer's topics, so only the workspace's
 * own topic is accepted.
 *
 * @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html for its content
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html for its signature
 */
export const ses: Provider = {
  name: 'ses',
  credential: 'The ARN of the SNS topic',
  problemOf: (credential) =>
    ARN.test(credential)
      ? undefined
      : 'must be the ARN of an SNS topic, such as arn:aws:sns:eu-west-1:123456789012:bounces',
  async read({ body }, topicArn, fetchText) {
    const envelope = objectIn(readJson(body.toString('utf8')))
    if (textIn(envelope, 'TopicArn') !== topicArn) throw new InvalidSignature('The call belongs to another topic')
    await assertSigned(envelope, regionOf(topicArn), fetchText)
    if (textIn(envelope, 'Type') === 'SubscriptionConfirmation') {
      await fetchText(amazonUrl(textIn(envelope, 'SubscribeURL'), regionOf(topicArn)))
      return []
    }
    return textIn(envelope, 'Type') === 'Notification' ? eventsOf(envelope) : []
  },
}

const ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]{3,30}:\d{12}:[\w.-]{1,256}$/
const regionOf = (arn: string): string => arn.split(':')[3] ?? ''

const OF_SUBSCRIPTION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const SIGNED = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', OF_SUBSCRIPTION],
  ['UnsubscribeConfirmation', OF_SUBSCRIPTION],
])
const HASHES = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])

/** @throws {InvalidSignature} */
async function assertSigned(envelope: Json, region: string, fetchText: FetchText): Promise<void> {
  const signed = SIGNED.get(textIn(envelope, 'Type'))
  const hash = HASHES.get(textIn(envelope, 'SignatureVersion'))
  if (!signed || !hash) throw new InvalidSignature('The signature version of the call is not supported')
  const text = signed
    .filter((name) => typeof envelope[name] === 'string')
    .map((name) => `${name}\n${envelope[name] as string}\n`)
    .join('')
  const url = amazonUrl(textIn(envelope, 'SigningCertURL'), region)
  if (!/^\/SimpleNotificationService-[0-9a-f]+\.pem$/.test(url.pathname))
    throw new InvalidSignature('The certificate has an untrusted URL')
  const certificate = await certificateAt(url, fetchText)
  const signature = Buffer.from(textIn(envelope, 'Signature'), 'base64')
  if (!verify(hash, Buffer.from(text), certificate.publicKey, signature))
    throw new InvalidSignature('The signature is wrong')
}

/** Accepts only URLs of Amazon in the topic's region, to prevent requests to arbitrary hosts (SSRF). @throws {InvalidSignature} */
function amazonUrl(text: string, region: string): URL {
  const url = URL.parse(text)
  const hosts = [`sns.${region}.amazonaws.com`, `sns.${region}.amazonaws.com.cn`]
  if (url?.protocol !== 'https:' || !hosts.includes(url.host) || url.username !== '' || url.password !== '')
    throw new InvalidSignature('The call refers to a URL that is not Amazon’s')
  return url
}

const MAX_KNOWN = 20
const certificates = new Map<string, X509Certificate>()

async function certificateAt(url: URL, fetchText: FetchText): Promise<X509Certificate> {
  const known = certificates.get(url.href)
  if (known) return known
  const certificate = new X509Certificate(await fetchText(url))
  if (certificates.size >= MAX_KNOWN) certificates.clear()
  certificates.set(url.href, certificate)
  return certificate
}

function eventsOf(envelope: Json): ProviderEvent[] {
  let message: Json
  try {
    message = objectIn(JSON.parse(textIn(envelope, 'Message')))
  } catch {
    // "Successfully validated SNS topic".
    return []
  }
  const mail = objectIn(message, 'mail')
  const of = {
    messageId: headerOf(mail, 'message-id'),
    returnPath: textIn(mail, 'source') || null,
  }
  const noDetails = { category: null, status: null, diagnostic: null, providerVerdict: null }
  const idOf = (recipient: string) => `${textIn(envelope, 'MessageId')}/${recipient}`
  switch (textIn(message, 'notificationType') || textIn(message, 'eventType')) {
    case 'Bounce': {
      const bounce = objectIn(message, 'bounce')
      return listIn(bounce, 'bouncedRecipients').flatMap((one) => {
        const recipient = addressOf(textIn(objectIn(one), 'emailAddress'))
        const outcome = outcomeOf(bounce, objectIn(one))
        return outcome ? [{ ...of, ...outcome, recipient, id: idOf(recipient) }] : []
      })
    }
    case 'Delivery':
      return listIn(objectIn(message, 'delivery'), 'recipients').flatMap((one) => {
        const recipient = typeof one === 'string' ? addressOf(one) : ''
        const event = { ...of, ...noDetails, kind: 'DELIVERED' as const }
        return recipient === '' ? [] : [{ ...event, recipient, id: idOf(recipient) }]
      })
    case 'Complaint': {
      const complaint = objectIn(message, 'complaint')
      const type = textIn(complaint, 'complaintFeedbackType')
      if (['not-spam', 'auth-failure'].includes(type)) return []
      return listIn(complaint, 'complainedRecipients').map((one) => {
        const recipient = addressOf(textIn(objectIn(one), 'emailAddress'))
        const details = { ...noDetails, providerVerdict: joinVerdict(type) }
        return { ...of, ...details, kind: 'COMPLAINT', recipient, id: idOf(recipient) }
      })
    }
    default:
      return []
  }
}

function outcomeOf(bounce: Json, recipient: Json): ProviderOutcome | undefined {
  const status = textIn(recipient, 'status') || null
  const diagnostic = textIn(recipient, 'diagnosticCode') || null
  const type = textIn(bounce, 'bounceType')
  const subtype = textIn(bounce, 'bounceSubType')
  const providerVerdict = joinVerdict(type, subtype)
  // SES does not send to addresses on its own suppression list.
  if (/SuppressionList$|^Suppressed$/.test(subtype))
    return { kind: 'HARD', category: 'MAILBOX_NOT_FOUND', status, diagnostic, providerVerdict }
  // SES also reports out-of-office notices like this.
  if (type === 'Transient' && subtype === 'General' && status === null && diagnostic === null) return undefined
  return { ...weighVerdict(findCause(status, diagnostic), verdictOf(type, subtype)), diagnostic, providerVerdict }
}

/** The sub-type `General` names no cause. */
function verdictOf(type: string, subtype: string): ProviderVerdict {
  const isPermanent = type === 'Permanent'
  if (/Rejected$|^MessageTooLarge$/.test(subtype)) return { category: 'CONTENT', isPermanent }
  if (subtype === 'MailboxFull') return { category: 'MAILBOX_FULL', isPermanent }
  if (subtype === 'NoEmail') return { category: 'MAILBOX_NOT_FOUND', isPermanent }
  return { category: undefined, isPermanent }
}

/** Removes a display name. */
const addressOf = (text: string): string => /<([^<>]+)>\s*$/.exec(text.slice(0, 1_000))?.[1] ?? text.trim()

function headerOf(mail: Json, name: string): string | null {
  const header = listIn(mail, 'headers').find((one) => textIn(objectIn(one), 'name').toLowerCase() === name)
  return textIn(objectIn(header), 'value') || textIn(objectIn(mail, 'commonHeaders'), 'messageId') || null
}
