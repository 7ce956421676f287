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
    replyTo: message.sender?.replyTo ?? undefined,
    returnPath: sender.links.returnPath({ contactId: message.contactId, messageId }),
    dkim: message.sender ? dkimOf(sender.secrets, message.sender) : undefined,
    headers: category === 'marketing' ? unsubscribeHeaders(url) : {},
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

/** Returns the workspace's own sender, or the instance's sender with the workspace's sender name if it has one. */
export function fromOf({ mailFrom }: Pick<Sender, 'mailFrom'>, { sender }: Pick<Prepared, 'sender'>): string {
  if (sender?.address != null) return mailboxOf(sender.name, sender.address)
  return sender?.name != null ? mailboxOf(sender.name, addressOf(mailFrom)) : mailFrom
}

/**
 * Headers for the unsubscribe button of mail clients (RFC 2369; RFC 8058, section 3.1). The button sends a POST with one field,
 * which RFC 8058 allows only over TLS.
 */
const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
})

const unsubscribeUrl = ({ links }: Sender, { ref, contactId }: Prepared): string =>
  links.url('unsubscribe', { contactId, originId: originOf(ref) })

/** The Message-ID header: that of an earlier attempt that may have arrived, or a new one with the current sender's domain. */
export const headerOf = (sender: Pick<Sender, 'mailFrom'>, message: Prepared): string =>
  message.header ?? messageIdHeader(message.ref, domainOf(fromOf(sender, message)) ?? 'localhost')
