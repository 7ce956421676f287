/**
 * Whom a refusal is about: the one message or its recipient; us (the login, the sender, what we may send, the server itself);
 * or either, where the server does not say it so that a machine can tell.
 */
export type About = 'message' | 'us' | 'either'

/** The server is out of service (RFC 7504), finds our commands out of order, or wants a login or another one (RFC 4954). */
const CODES_OF_US = [503, 521, 530, 534, 535, 538]
/** The recipient is elsewhere, what is stored for him or the message is too much, or his domain takes no mail (RFC 7504). */
const CODES_OF_MESSAGE = [551, 552, 556]
/** The message is too long, which a server can say of the announced size (RFC 1870, section 6.1). */
const TOO_LONG = ['2.3', '3.4']

/**
 * Enhanced status codes (RFC 3463 and IANA's registry) without their class, by whom they are about. What is undefined (X.Y.0)
 * and what is not here is about either: servers use it for both. So are X.4.1 and X.4.4, by which some say that there is no
 * such recipient; X.5, the syntax of what we wrote, which an address may be the reason for; and X.7.1, which is a blocked
 * sender's and a protected recipient's.
 */
const DETAILS: Record<Exclude<About, 'either'>, readonly string[]> = {
  message: [
    // The recipient's address, and his mailbox.
    ...['1.1', '1.2', '1.3', '1.4', '1.6', '1.9', '1.10', '2.1', '2.2', '2.3', '2.4'],
    // The length.
    '3.4',
    // A list that one may not write to; a mailbox or a domain that has another owner now.
    ...['7.2', '7.17', '7.18', '7.19'],
  ],
  us: [
    // The sender's address; the server's disk, and whether it is in service; its network and how much goes over it.
    ...['1.7', '1.8', '3.1', '3.2', '3.5', '4.2', '4.3', '4.5', '4.7'],
    // Too many recipients, which one message of ours has one of; the login.
    ...['5.3', '5.6', '7.8', '7.9', '7.10', '7.11', '7.12', '7.13', '7.14'],
    // DKIM, SPF, the name of our machine, a null MX of the sender, too much mail.
    ...['7.20', '7.21', '7.22', '7.23', '7.24', '7.25', '7.26', '7.27', '7.28', '7.29'],
  ],
}

/**
 * Whom a refusal is about. Servers say what they have against us at any stage: Postfix keeps it until RCPT, others until they
 * have the message. At MAIL nobody has told them of the recipient yet.
 *
 * @param command what was refused
 */
export function aboutOf(command: string, refusal: string): About {
  const { code, detail } = statusOf(refusal)
  if (CODES_OF_US.includes(code)) return 'us'
  // What a message is made of, an address in Unicode among it.
  if (detail.startsWith('6.')) return 'message'
  if (command === 'MAIL FROM') {
    return TOO_LONG.includes(detail) || (code === 552 && detail === '') ? 'message' : 'us'
  }
  if (DETAILS.us.includes(detail)) return 'us'
  return DETAILS.message.includes(detail) || CODES_OF_MESSAGE.includes(code) ? 'message' : 'either'
}

/** The codes of an answer, without its words, which can repeat an address. */
export function codesOf(answer: string): string {
  const { code, detail } = statusOf(answer)
  if (Number.isNaN(code)) return 'without a code'
  return detail === '' ? String(code) : `${code} ${String(code)[0]}.${detail}`
}

/** Of the enhanced code what is behind its class: that one says no more than the first digit of the code. */
function statusOf(answer: string): { code: number; detail: string } {
  const [, detail = ''] = /^\d{3}[ -][245]\.(\d{1,3}\.\d{1,3})(?!\S)/.exec(answer) ?? []
  return { code: Number.parseInt(answer), detail }
}
