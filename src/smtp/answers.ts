import { isTooFast } from './is-too-fast.ts'
import { type RejectionScope, scopeOfCode } from './status-codes.ts'

/** The server is out of service (RFC 7504), rejects the order of commands, or requires a login or a different one (RFC 4954). */
const CODES_OF_US = [503, 521, 530, 534, 535, 538]
/** The recipient has moved, the mailbox or the message is too large, or the domain accepts no mail (RFC 7504). */
const CODES_OF_MESSAGE = [551, 552, 556]
/** The message is too long. A server can reject the announced size at MAIL (RFC 1870, section 6.1). */
const TOO_LONG = ['2.3', '3.4']

/**
 * Determines the subject of a rejection. Servers can reject the sender at any stage: Postfix defers it until RCPT, others until
 * they have the message. At MAIL, they do not know the recipient yet.
 *
 * @param command the rejected command
 */
export function rejectionScopeOf(command: string, response: string): RejectionScope {
  const { code, detail } = statusOf(response)
  if (CODES_OF_US.includes(code)) return 'us'
  // The content of the message, including Unicode addresses.
  if (detail.startsWith('6.')) return 'message'
  if (command === 'MAIL FROM') {
    return TOO_LONG.includes(detail) || (code === 552 && detail === '') ? 'message' : 'us'
  }
  const scope = scopeOfCode(detail)
  if (scope === 'us') return 'us'
  return scope === 'message' || CODES_OF_MESSAGE.includes(code) ? 'message' : 'either'
}

/**
 * Whether the recipient's provider gets mail too fast. At MAIL, a server limits us and not a recipient.
 * @param command the rejected command
 */
export function isRateRejection(command: string, response: string): boolean {
  const { code, detail } = statusOf(response)
  return command !== 'MAIL FROM' && isTooFast(code, detail, response)
}

/** Returns the codes of a response without its text, which may contain an address. */
export function codesOf(response: string): string {
  const { code, detail } = statusOf(response)
  if (Number.isNaN(code)) return 'without a code'
  return detail === '' ? String(code) : `${code} ${String(code)[0]}.${detail}`
}

/** Parses a response. Drops the class of the enhanced code, which repeats the first digit of the reply code. */
function statusOf(response: string): { code: number; detail: string } {
  const [, detail = ''] = /^\d{3}[ -][245]\.(\d{1,3}\.\d{1,3})(?!\S)/.exec(response) ?? []
  return { code: Number.parseInt(response), detail }
}
