import type { Attachment, Email } from 'postal-mime'
import { firstLines } from '../platform/first-lines.ts'
import { addressIn, type Fields, nameIn, readGroups, withoutComments } from './fields.ts'
import { MimeParts } from './mime-parts.ts'
import { isSameMailbox } from './same-mailbox.ts'
import { type BounceKind, classifyBounce } from './verdict.ts'

/** What a mail says of one recipient of an email that came before. */
export interface Report {
  kind: BounceKind
  status: string | null
  /** What the other server answered, in its words. */
  diagnostic: string | null
  /** Of whom, as it is told there: it can be somebody to whom mail was forwarded, or nobody. */
  recipient: string | null
}

/** What a report still shows of the email. */
export interface Traces {
  /** The addresses that can be its return path. */
  addresses: string[]
  /** What stood in links for unsubscribing. */
  linkTokens: string[]
}

export interface Reports {
  reports: Report[]
  traces: Traces
}

const NOTHING: Reports = { reports: [], traces: { addresses: [], linkTokens: [] } }
/** So much of a text is looked through: what a server has to say comes first. */
const MAX_TEXT = 10_000

/**
 * Reads what comes back: delivery status notifications (RFC 3464, RFC 6533), complaints (ARF, RFC 5965), and what older servers write
 * for people only. Anything else, such as somebody's answer or a notice of absence, says nothing of an address; nor does a delay.
 *
 * @param raw the mail, or its beginning: what is returned comes last
 * @param isFromNobody whether its sender is `<>`, as every automatic answer's should be (RFC 3834): only then are mere words believed
 */
export async function readReport(raw: Uint8Array, { isFromNobody }: { isFromNobody: boolean }): Promise<Reports> {
  let mail: Email
  try {
    mail = await new MimeParts({ forceRfc822Attachments: true }).parse(firstLines(raw, MAX_LINES))
  } catch {
    // Too deep, or headers without an end.
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
  if (!isFromNobody || isAbsence(mail)) return NOTHING
  return { reports: wordsOf(mail, text), traces: tracesOf(returned) }
}

/** So many lines are read: the parser makes an object of each. */
const MAX_LINES = 4_000

const RETURNED = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : new TextDecoder().decode(content)

const flat = (groups: readonly Fields[]): Fields => new Map(groups.toReversed().flatMap((group) => [...group]))

/** `not-spam` takes one back, and `auth-failure` is of somebody else's mail in our name. */
const isComplaint = (type = ''): boolean => ['abuse', 'fraud', 'virus', 'opt-out', 'other'].includes(type.toLowerCase())

const complaintOf = (fields: Fields): Report => ({
  kind: 'COMPLAINT',
  status: null,
  diagnostic: null,
  recipient: addressIn(fields.get('original-rcpt-to')),
})

/** What a group says of its recipient, where it says that an email was given up. */
function failureOf(fields: Fields, text: string): Report[] {
  const final = fields.get('final-recipient')
  const [original, address] = [addressIn(fields.get('original-recipient')), addressIn(final)]
  const recipient = original ?? address ?? nameIn(final)
  const status = fields.has('status') ? withoutComments(fields.get('status')!) : null
  // Some leave it out, and their status says so.
  const action = fields.has('action')
    ? withoutComments(fields.get('action')!).toLowerCase()
    : status?.startsWith('5.') && 'failed'
  if (recipient === null || (action !== 'failed' && action !== 'failure')) return []
  // Some have no field for it, and a line for people.
  const line = text.split('\n').find((line) => line.startsWith(`${recipient}: `))
  const diagnostic = fields.get('diagnostic-code') ?? line?.slice(recipient.length + 2) ?? null
  const verdict = classifyBounce(status, diagnostic, diagnostic === null ? text : '')
  // Ours was passed on, by whom others may be reached, too: that one of them is gone says little, once.
  const isPassedOn = original !== null && address !== null && !isSameMailbox(original, address)
  return [{ ...verdict, kind: isPassedOn && verdict.kind === 'HARD' ? 'SOFT' : verdict.kind, diagnostic, recipient }]
}

/** Somebody is away. Servers that give an email up write `auto-replied`, too. */
const isAbsence = ({ headers }: Email): boolean =>
  headers.some(({ key, value }) => key === 'auto-submitted' && /vacation|auto-generated\s*$/i.test(value))

const OPENINGS = /^Hi\. This is the|^Sorry, we were unable to deliver|This is the MAILER-DAEMON/
/** A paragraph of one recipient: `<address>:` and what is said of it (qmail); `address: reply` (old OpenSMTPD). */
const PARAGRAPH = /^<([^>\s]{1,320})>:[ \t]*\n([\s\S]{0,2000}?)\n\n/m
const LINE = /^(\S{1,320}@\S{1,320}): (.*)$/m

/** What is written for people alone (qmail's QSBMF, Exim, Yahoo, old OpenSMTPD). */
function wordsOf({ headers }: Email, text: string): Report[] {
  const failed =
    headers
      .find(({ key }) => key === 'x-failed-recipients')
      ?.value.split(',', 1)[0]
      ?.trim() || undefined
  if (failed === undefined && !OPENINGS.test(text)) return []
  const [body = ''] = text.replaceAll('\r\n', '\n').split(/^-{3,}/m, 1)
  const paragraph = PARAGRAPH.exec(body) ?? LINE.exec(body)
  const words = paragraph?.[2] ?? body
  const diagnostic = /\b[245]\d\d[ :-].*/.exec(words)?.[0].slice(0, 2_000) ?? null
  const verdict = classifyBounce(null, diagnostic, words)
  const status = verdict.status ?? /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(words)?.[0] ?? null
  return [{ kind: verdict.kind, status, diagnostic, recipient: failed ?? paragraph?.[1] ?? null }]
}

/** So many of each are looked up. */
const MAX_TRACES = 5

/** What a returned email has in its headers by which it is known again, whatever its new recipient was made of. */
function tracesOf(returned = '', ...more: readonly (string | undefined)[]): Traces {
  const [head = ''] = returned.trimStart().split(/\r?\n\r?\n/, 1)
  const fields = readGroups(head)[0]
  const addresses = [...more, fields?.get('return-path')].flatMap((value) => addressIn(value) ?? [])
  const links = fields?.get('list-unsubscribe') ?? ''
  const linkTokens = [...links.matchAll(/\/unsubscribe\/([\w-]{1,200})/g)].map(([, token = '']) => token)
  return { addresses: addresses.slice(0, MAX_TRACES), linkTokens: linkTokens.slice(0, MAX_TRACES) }
}
