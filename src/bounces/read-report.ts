import type { Attachment, Email } from 'postal-mime'
import { firstLines } from '../platform/first-lines.ts'
import { addressIn, type Fields, readGroups } from './fields.ts'
import { MimeParts } from './mime-parts.ts'
import { readFailure, type Report } from './read-failure.ts'
import { readTextReport } from './read-text-report.ts'

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
const MAX_HEAD = 20_000

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
  const text = (mail.text ?? (mail.attachments.length === 0 ? bodyOf(raw) : '')).slice(0, MAX_TEXT)

  const feedback = partOf(/^message\/feedback-report$/i)
  if (feedback !== undefined) {
    const fields = flat(readGroups(feedback))
    const traces = tracesOf(returned, fields.get('original-mail-from'))
    return { reports: isComplaint(fields.get('feedback-type')) ? [complaintOf(fields)] : [], traces }
  }
  const hotmail = returned === undefined ? undefined : /^X-HmXmrOriginalRecipient:\s*(\S+)/im.exec(returned)?.[1]
  if (hotmail !== undefined)
    return {
      reports: [{ kind: 'COMPLAINT', category: null, status: null, diagnostic: null, recipient: hotmail }],
      traces: tracesOf(returned),
    }
  const groups = readGroups(partOf(/^message\/(?:global-)?delivery-status$/i) ?? '')
  const isStructured = groups.some((fields) => fields.has('final-recipient') || fields.has('action'))
  const reports = isStructured
    ? groups.flatMap((fields) => readFailure(fields, text))
    : readTextReport({ headers: mail.headers, text, returned, isFromNobody })
  return { reports, traces: tracesOf(returned) }
}

/** Maximum lines to parse. The parser allocates an object for each. */
const MAX_LINES = 4_000

const RETURNED = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i

/** Decodes the body of a mail whose parts are malformed. */
function bodyOf(raw: Uint8Array): string {
  const mail = new TextDecoder().decode(raw.subarray(0, MAX_HEAD + MAX_TEXT))
  return mail.slice(mail.search(/\r?\n\r?\n/))
}

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : new TextDecoder().decode(content)

const flat = (groups: readonly Fields[]): Fields => new Map(groups.toReversed().flatMap((group) => [...group]))

/** Excludes `not-spam`, which withdraws a complaint, and `auth-failure`, which is about forged mail. */
const isComplaint = (type = ''): boolean => ['abuse', 'fraud', 'virus', 'opt-out', 'other'].includes(type.toLowerCase())

const complaintOf = (fields: Fields): Report => ({
  kind: 'COMPLAINT',
  category: null,
  status: null,
  diagnostic: null,
  recipient: addressIn(fields.get('original-rcpt-to')),
})

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
