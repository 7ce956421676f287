import { type Links, MOST_URL_BYTES } from '../signed-links/index.ts'
import type { Secrets } from '../platform/secrets.ts'
import { type DkimKey, dkimOf, mailboxOf } from '../senders/index.ts'
import { addressOf, domainOf } from '../platform/email-address.ts'
import type { RenderedEmail, TemplateVariables } from '../rendering/index.ts'
import { languageOf, withFooter } from './footer.ts'
import { trackedHtml } from './tracked-html.ts'
import { messageIdHeader, type MessageKey } from './message.ts'
import type { Content } from './record-queries.ts'
import type { Draft } from './draft-queries.ts'

/** What an attempt sends, to whom, and how often it was tried before. */
export type Drafted = Pick<
  Draft,
  | 'attempts'
  | 'workspaceId'
  | 'workspaceMode'
  | 'onSendFailure'
  | 'content'
  | 'category'
  | 'contactId'
  | 'contact'
  | 'suppressedBy'
  | 'sender'
  | 'event'
  | 'listRequestId'
  | 'mail'
> & {
  /** The Message-ID that it had, where it may have been sent before. */
  header?: string | null
}

/** Whose mail it is, and where its links lead. */
export interface Sender {
  /** `Name <address>`. */
  mailFrom: string
  links: Links
  secrets: Secrets
}

/** An email that is ready to go: what the ledger keeps of it, and the headers that it has besides. */
export interface Outgoing extends Content {
  /** What is handed over in place of the HTML that is kept: whoever looks at that has not opened it. */
  trackedHtml: string | null
  from: string
  replyTo: string | undefined
  returnPath: string | undefined
  headers: Readonly<Record<string, string>>
  dkim: DkimKey | undefined
}

/** What a template is rendered with. */
export const variablesOf = (sender: Sender, key: MessageKey, draft: Drafted): TemplateVariables => ({
  contact: draft.contact,
  event: draft.event,
  unsubscribeUrl: unsubscribeUrl(sender, key, draft),
  ...(draft.listRequestId !== null && {
    confirmUrl: sender.links.url('confirm', { contactId: draft.contactId, originId: draft.listRequestId }),
  }),
})

/**
 * The whole email. A marketing email has a way to unsubscribe in its body and in its headers, whatever its template has.
 * @throws {NoSecretsKey} where this process can't sign what is to be signed
 */
export function compose(sender: Sender, key: MessageKey, draft: Drafted, rendered: RenderedEmail): Outgoing {
  const { contact, category, header = null } = draft
  const from = fromOf(sender, draft)
  const url = unsubscribeUrl(sender, key, draft)
  const language = languageOf(contact.metadata['locale'])
  const body =
    category === 'marketing'
      ? withFooter(rendered, { url, language, postalAddress: draft.sender?.postalAddress ?? null })
      : rendered
  // Whoever has it already knows it by that, whatever the sender is since.
  const messageId = header ?? messageIdOf({ mailFrom: from }, key)
  return {
    ...body,
    trackedHtml: body.html === null ? null : tracked(sender, draft, messageId, body.html),
    messageId,
    recipient: contact.email,
    from,
    replyTo: draft.sender?.replyTo ?? undefined,
    returnPath: sender.links.returnPath({ contactId: draft.contactId, messageId }),
    dkim: draft.sender ? dkimOf(sender.secrets, draft.sender) : undefined,
    headers: category === 'marketing' ? unsubscribeHeaders(url) : {},
  }
}

/**
 * Of a marketing email, where its workspace wants it: a receipt, or whatever somebody has to get, is nobody's to be looked at. Links of
 * ours, to unsubscribe or confirm, stay.
 */
function tracked({ links }: Sender, draft: Drafted, messageId: string, html: string): string {
  const { sender, category, contactId } = draft
  if (category !== 'marketing' || !sender) return html
  const of = { contactId, messageId }
  return trackedHtml(html, {
    stays: (url) => url.startsWith(`${links.publicUrl}/`) || Buffer.byteLength(url) > MOST_URL_BYTES,
    linkVia: sender.trackClicks ? (url, count) => links.visit('click', { ...of, url, links: count }) : undefined,
    picture: sender.trackOpens ? (count) => links.visit('open', { ...of, url: '', links: count }) : undefined,
  })
}

/** The workspace's own sender, or the installation's, under its own name where it has one. */
export function fromOf({ mailFrom }: Pick<Sender, 'mailFrom'>, { sender }: Pick<Drafted, 'sender'>): string {
  if (sender?.address != null) return mailboxOf(sender.name, sender.address)
  return sender?.name != null ? mailboxOf(sender.name, addressOf(mailFrom)) : mailFrom
}

/**
 * What mail programs show a button by (RFC 2369; RFC 8058, section 3.1). Pressed, it is a POST of one field, which only makes sense
 * over TLS.
 */
const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
})

const unsubscribeUrl = ({ links }: Sender, { enrollmentId }: MessageKey, { contactId }: Drafted): string =>
  links.url('unsubscribe', { contactId, originId: enrollmentId })

export const messageIdOf = ({ mailFrom }: Pick<Sender, 'mailFrom'>, key: MessageKey): string =>
  messageIdHeader(key, domainOf(mailFrom) ?? 'localhost')
