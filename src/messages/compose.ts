import { isIP } from 'node:net'
import { contactVariables } from '../contacts/index.ts'
import { type Links, MAX_URL_BYTES } from '../signed-links/index.ts'
import type { Secrets } from '../platform/secrets.ts'
import { type DkimKey, dkimOf, mailboxOf } from '../senders/index.ts'
import { addressOf, domainOf } from '../platform/email-address.ts'
import type { RenderedEmail, TemplateVariables } from '../rendering/index.ts'
import { languageOf, withFooter } from './footer.ts'
import { trackedHtml } from './tracked-html.ts'
import { messageIdHeader, originOf } from './message.ts'
import type { Prepared } from './prepared.ts'
import type { Content } from './store.ts'

/** The instance's sender, and the base of its links. */
export interface Sender {
  /** `Name <address>`. */
  mailFrom: string
  links: Links
  secrets: Secrets
}

/** An email ready to send: the content that is stored, and its other headers. */
export interface Outgoing extends Content {
  /** The HTML that is sent, with tracking links. The stored HTML has none, so that viewing it does not count as an open. */
  trackedHtml: string | null
  from: string
  replyTo: string | undefined
  returnPath: string | undefined
  headers: Readonly<Record<string, string>>
  dkim: DkimKey | undefined
}

/** The variables of a message's template. */
export const variablesOf = (sender: Sender, message: Prepared): TemplateVariables => ({
  ...contactVariables(message.contactId, message.contact),
  event: message.event,
  steps: message.steps ?? {},
  data: message.email?.data ?? {},
  unsubscribeUrl: unsubscribeUrl(sender, message),
  ...(message.confirmation?.requestId != null && {
    confirmUrl: sender.links.url('confirm', {
      contactId: message.contactId,
      originId: message.confirmation.requestId,
    }),
  }),
})

/**
 * Composes the whole email. A marketing email gets an unsubscribe link in its body and its headers, regardless of its template.
 * @throws {NoSecretsKey} if this process cannot sign the links
 */
export function compose(sender: Sender, message: Prepared, rendered: RenderedEmail): Outgoing {
  const { contact, category } = message
  const from = fromOf(sender, message)
  const url = unsubscribeUrl(sender, message)
  const language = languageOf(contact.metadata['locale'])
  const body =
    category === 'marketing'
      ? withFooter(rendered, { url, language, postalAddress: message.sender?.postalAddress ?? null })
      : rendered
  const messageId = headerOf(sender, message)
  return {
    ...body,
    trackedHtml: body.html === null ? null : tracked(sender, message, messageId, body.html),
    messageId,
    recipient: contact.email,
    from,
    replyTo: message.email?.replyTo ?? message.sender?.replyTo ?? undefined,
    returnPath: sender.links.returnPath({ contactId: message.contactId, messageId }),
    dkim: message.sender ? dkimOf(sender.secrets, message.sender) : undefined,
    headers:
      category === 'marketing' ? marketingHeaders(sender, message, messageId, url) : (message.email?.headers ?? {}),
  }
}

/**
 * Adds tracking to a marketing email, if its workspace enables it. Transactional emails are never tracked. Dripline's own links,
 * to unsubscribe or confirm, stay unchanged.
 */
function tracked({ links }: Sender, message: Prepared, messageId: string, html: string): string {
  const { sender, category, contactId } = message
  if (category !== 'marketing' || !sender) return html
  const of = { contactId, messageId }
  return trackedHtml(html, {
    stays: (url) => url.startsWith(`${links.publicUrl}/`) || Buffer.byteLength(url) > MAX_URL_BYTES,
    linkVia: sender.trackClicks ? (url, count) => links.visit('click', { ...of, url, links: count }) : undefined,
    picture: sender.trackOpens ? (count) => links.visit('open', { ...of, url: '', links: count }) : undefined,
  })
}

/** The parts of a message that its sender depends on. */
type FromParts = Pick<Prepared, 'sender' | 'email'>

/** Returns the sender that the email names, the workspace's own sender, or the instance's sender with the workspace's sender name if it has one. */
export function fromOf({ mailFrom }: Pick<Sender, 'mailFrom'>, { sender, email }: FromParts): string {
  if (email?.from != null) return email.from
  if (sender?.address != null) return mailboxOf(sender.name, sender.address)
  return sender?.name != null ? mailboxOf(sender.name, addressOf(mailFrom)) : mailFrom
}

/**
 * Headers of marketing emails. `List-Unsubscribe` is for the unsubscribe button of mail clients (RFC 2369). The button sends a POST
 * with one field, which RFC 8058 allows only over TLS, or an email, if Dripline receives mail.
 */
function marketingHeaders(
  { links }: Sender,
  message: Prepared,
  messageId: string,
  url: string,
): Record<string, string> {
  const address = links.unsubscribeAddress({ contactId: message.contactId, messageId })
  return {
    'List-Unsubscribe': address === undefined ? `<${url}>` : `<${url}>, <mailto:${address}?subject=unsubscribe>`,
    ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    'List-ID': `<${listIdOf(message, links.publicUrl)}>`,
    'Feedback-ID': feedbackIdOf(message),
  }
}

/**
 * Identifies the list of an email to mail clients: the only list that it was sent to, otherwise the workspace (RFC 2919, section
 * 3). The namespace is the host of the instance, which stays the same when a sender changes.
 */
function listIdOf({ listIds, workspaceId }: Prepared, publicUrl: string): string {
  const { hostname } = new URL(publicUrl)
  const label = listIds.length === 1 ? listIds[0]! : workspaceId
  // A name without a domain must end in localhost.
  return `${label}.${isIP(hostname.replace(/[[\]]/g, '')) === 0 ? hostname : 'localhost'}`
}

/**
 * Identifies the campaign or automation to feedback loops, which count complaints by each of the fields. None of them identifies
 * the recipient. The last one names the sender in 5 to 15 characters.
 *
 * @see https://support.google.com/a/answer/6254652 for the format
 */
function feedbackIdOf({ ref, automationId, workspaceId }: Prepared): string {
  const origin = ref.kind === 'campaign' ? ref.campaignId : (automationId ?? '')
  const kind = ref.kind === 'step' ? 'automation' : ref.kind
  return `${origin}:${workspaceId}:${kind}:dripline`
}

const unsubscribeUrl = ({ links }: Sender, { ref, contactId }: Prepared): string =>
  links.url('unsubscribe', { contactId, originId: originOf(ref) })

/** The Message-ID header: that of an earlier attempt that may have arrived, or a new one with the current sender's domain. */
export const headerOf = (sender: Pick<Sender, 'mailFrom'>, message: Prepared): string =>
  message.header ?? messageIdHeader(message.ref, domainOf(fromOf(sender, message)) ?? 'localhost')
