import type { Attachment, Email } from 'postal-mime'
import { firstLines } from '../platform/first-lines.ts'
import { addressIn, type Fields, nameIn, readGroups, withoutComments } from './fields.ts'
import { MimeParts } from './mime-parts.ts'
import { isSameMailbox } from './same-mailbox.ts'
import { type BounceKind, classifyBounce } from './verdict.ts'

/** The result of an email for one recipient, as a mail reports it. */
export interface Report {
  kind: BounceKind
  status: string | null
  /** The other server's response, verbatim. */
  diagnostic: string | null
  /** The reported recipient, which may be an address that the mail was forwarded to, or `null`. */
  recipient: string | null
}

/** Data in a report that may identify the email. */
export interface Traces {
  /** Addresses that may be its return path. */
  addresses: string[]
  /** Tokens of its unsubscribe links. */
  linkTokens: string[]
}

export interface Reports {
  reports: Report[]
  traces: Traces
}

const NOTHING: Reports = { reports: [], traces: { addresses: [], linkTokens: [] } }
/** Maximum characters of text to search. Servers put their explanation first. */
const MAX_TEXT = 10_000

/**
 * Reads a returned mail: delivery status notifications (RFC 3464, RFC 6533), complaints (ARF, RFC 5965), and the free text of
 * older servers. Ignores anything else, such as replies, out-of-office notices and delays.
 *
 * @param raw the mail or its beginning: the returned message comes last
 * @param isFromNobody whether its sender is `<>`, as for every automatic response (RFC 3834). Free text is trusted only then.
 */
export async function readReport(raw: Uint8Array, { isFromNobody }: { isFromNobody: boolean }): Promise<Reports> {
  let mail: Email
  try {
    mail = await new MimeParts({ forceRfc822Attachments: true }).parse(firstLines(raw, MAX_LINES))
  } catch {
    // It is nested too deeply, or its headers have no end.
    return NOTHING
  }
  const partOf = (type: RegExp): string | undefined => {
    const part = mail.attachments.find(({ mimeType }) => type.test(mimeType))
    return part && textOf(part)
  }
  const returned = partOf(RETURNED)
  const text = (mail.text ?? '').slice(0, MAX_TEXT)

  const feedback = partOf(/^message\/feedback-report$/i)
  if (feedback !== undefined) {
    const fields = flat(readGroups(feedback))
    const traces = tracesOf(returned, fields.get('original-mail-from'))
    return { reports: isComplaint(fields.get('feedback-type')) ? [complaintOf(fields)] : [], traces }
  }
  const hotmail = returned === undefined ? undefined : /^X-HmXmrOriginalRecipient:\s*(\S+)/im.exec(returned)?.[1]
  if (hotmail !== undefined)
    return {
      reports: [{ kind: 'COMPLAINT', status: null, diagnostic: null, recipient: hotmail }],
      traces: tracesOf(returned),
    }
  const delivery = partOf(/^message\/(?:global-)?delivery-status$/i)
  if (delivery !== undefined)
    return { reports: readGroups(delivery).flatMap((fields) => failureOf(fields, text)), traces: tracesOf(returned) }
  if (!isFromNobody || isOutOfOffice(mail)) return NOTHING
  return { reports: reportsInText(mail, text), traces: tracesOf(returned) }
}

/** Maximum lines to parse. The parser allocates an object for each. */
const MAX_LINES = 4_000

const RETURNED = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : new TextDecoder().decode(content)

const flat = (groups: readonly Fields[]): Fields => new Map(groups.toReversed().flatMap((group) => [...group]))

/** Excludes `not-spam`, which withdraws a complaint, and `auth-failure`, which is about forged mail. */
const isComplaint = (type = ''): boolean => ['abuse', 'fraud', 'virus', 'opt-out', 'other'].includes(type.toLowerCase())

const complaintOf = (fields: Fields): Report => ({
  kind: 'COMPLAINT',
  status: null,
  diagnostic: null,
  recipient: addressIn(fields.get('original-rcpt-to')),
})

/** Reads a failed delivery from the fields of one recipient. Returns nothing for other actions. */
function failureOf(fields: Fields, text: string): Report[] {
  const final = fields.get('final-recipient')
  const [original, address] = [addressIn(fields.get('original-recipient')), addressIn(final)]
  const recipient = original ?? address ?? nameIn(final)
  const status = fields.has('status') ? withoutComments(fields.get('status')!) : null
  // Some servers omit the action. Their status shows the failure.
  const action = fields.has('action')
    ? withoutComments(fields.get('action')!).toLowerCase()
    : status?.startsWith('5.') && 'failed'
  if (recipient === null || (action !== 'failed' && action !== 'failure')) return []
  // Some servers have a line of text instead of a diagnostic field.
  const line = text.split('\n').find((line) => line.startsWith(`${recipient}: `))
  const diagnostic = fields.get('diagnostic-code') ?? line?.slice(recipient.length + 2) ?? null
  const verdict = classifyBounce(status, diagnostic, diagnostic === null ? text : '')
  // The mail was forwarded, possibly to several recipients, so a hard bounce of one of them counts as soft.
  const isPassedOn = original !== null && address !== null && !isSameMailbox(original, address)
  return [{ ...verdict, kind: isPassedOn && verdict.kind === 'HARD' ? 'SOFT' : verdict.kind, diagnostic, recipient }]
}

/** Detects out-of-office notices. `auto-replied` is not one: servers also use it for failed deliveries. */
const isOutOfOffice = ({ headers }: Email): boolean =>
  headers.some(({ key, value }) => key === 'auto-submitted' && /vacation|auto-generated\s*$/i.test(value))

const OPENINGS = /^Hi\. This is the|^Sorry, we were unable to deliver|This is the MAILER-DAEMON/
/** Paragraph of one recipient: `<address>:` and an explanation (qmail), or `address: reply` (old OpenSMTPD). */
const PARAGRAPH = /^<([^>\s]{1,320})>:[ \t]*\n([\s\S]{0,2000}?)\n\n/m
const LINE = /^(\S{1,320}@\S{1,320}): (.*)$/m

/** Reads reports in free text (qmail's QSBMF, Exim, Yahoo, old OpenSMTPD). */
function reportsInText({ headers }: Email, text: string): Report[] {
  const failed =
    headers
      .find(({ key }) => key === 'x-failed-recipients')
      ?.value.split(',', 1)[0]
      ?.trim() || undefined
  if (failed === undefined && !OPENINGS.test(text)) return []
  const [body = ''] = text.replaceAll('\r\n', '\n').split(/^-{3,}/m, 1)
  const paragraph = PARAGRAPH.exec(body) ?? LINE.exec(body)
  const explanation = paragraph?.[2] ?? body
  const diagnostic = /\b[245]\d\d[ :-].*/.exec(explanation)?.[0].slice(0, 2_000) ?? null
  const verdict = classifyBounce(null, diagnostic, explanation)
  const status = verdict.status ?? /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(explanation)?.[0] ?? null
  return [{ kind: verdict.kind, status, diagnostic, recipient: failed ?? paragraph?.[1] ?? null }]
}

/** Maximum number of addresses and of tokens to look up. */
const MAX_TRACES = 5

/** Reads data that identifies a returned email from its headers, regardless of the reported recipient. */
function tracesOf(returned = '', ...more: readonly (string | undefined)[]): Traces {
  const [head = ''] = returned.trimStart().split(/\r?\n\r?\n/, 1)
  const fields = readGroups(head)[0]
  const addresses = [...more, fields?.get('return-path')].flatMap((value) => addressIn(value) ?? [])
  const links = fields?.get('list-unsubscribe') ?? ''
  const linkTokens = [...links.matchAll(/\/unsubscribe\/([\w-]{1,200})/g)].map(([, token = '']) => token)
  return { addresses: addresses.slice(0, MAX_TRACES), linkTokens: linkTokens.slice(0, MAX_TRACES) }
}
