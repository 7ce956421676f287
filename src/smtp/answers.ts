import { isTooFast } from './is-too-fast.ts'

/**
 * Subject of a rejection: `message` for this message or its recipient; `us` for the login, the sender, its limits or the server
 * itself; `either` if the response is ambiguous.
 */
export type RejectionScope = 'message' | 'us' | 'either'

/** The server is out of service (RFC 7504), rejects the order of commands, or requires a login or a different one (RFC 4954). */
const CODES_OF_US = [503, 521, 530, 534, 535, 538]
/** The recipient has moved, the mailbox or the message is too large, or the domain accepts no mail (RFC 7504). */
const CODES_OF_MESSAGE = [551, 552, 556]
/** The message is too long. A server can reject the announced size at MAIL (RFC 1870, section 6.1). */
const TOO_LONG = ['2.3', '3.4']

/**
 * Enhanced status codes (RFC 3463 and IANA's registry) without their class, by subject. Undefined codes (X.Y.0) and codes that
 * are missing here are ambiguous. X.4.1 and X.4.4 are ambiguous too, because some servers use them for unknown recipients. X.5 is
 * a syntax error, which an address may cause. X.7.1 is used for both blocked senders and protected recipients.
 */
const DETAILS: Record<Exclude<RejectionScope, 'either'>, readonly string[]> = {
  message: [
    // The recipient's address and mailbox.
    ...['1.1', '1.2', '1.3', '1.4', '1.6', '1.9', '1.10', '2.1', '2.2', '2.3', '2.4'],
    // The message length.
    '3.4',
    // A restricted list; a mailbox or a domain with a new owner.
    ...['7.2', '7.17', '7.18', '7.19'],
  ],
  us: [
    // The sender's address; the server's disk and availability; its network and load.
    ...['1.7', '1.8', '3.1', '3.2', '3.5', '4.2', '4.3', '4.5', '4.7'],
    // Too many recipients (our messages have one); the login.
    ...['5.3', '5.6', '7.8', '7.9', '7.10', '7.11', '7.12', '7.13', '7.14'],
    // DKIM, SPF, reverse DNS of our host, a null MX of the sender, too much mail.
    ...['7.20', '7.21', '7.22', '7.23', '7.24', '7.25', '7.26', '7.27', '7.28', '7.29'],
  ],
}

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
  if (DETAILS.us.includes(detail)) return 'us'
  return DETAILS.message.includes(detail) || CODES_OF_MESSAGE.includes(code) ? 'message' : 'either'
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
