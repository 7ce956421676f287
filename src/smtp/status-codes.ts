/**
 * Subject of a rejection: `message` for this message or its recipient; `us` for the login, the sender, its limits or the server
 * itself; `either` if the response is ambiguous.
 */
export type RejectionScope = 'message' | 'us' | 'either'

/** The cause of a failed delivery that a code means, without the class that shows whether it is temporary. */
export type CodeMeaning =
  | 'MAILBOX_NOT_FOUND'
  | 'MAILBOX_DISABLED'
  | 'MAILBOX_FULL'
  | 'DOMAIN_NOT_FOUND'
  | 'AUTHENTICATION'
  | 'CONTENT'
  | 'RATE_LIMIT'
  | 'POLICY'
  | 'CONNECTION'

/** Scope and meaning of a status code. A field is missing if servers do not use the code consistently. */
interface StatusCode {
  scope?: Exclude<RejectionScope, 'either'>
  means?: CodeMeaning
}

// Codes that only show whether the message or the sender is rejected.
const OF_MESSAGE = { scope: 'message' } as const
const OF_US = { scope: 'us' } as const
const OUR_AUTHENTICATION = { scope: 'us', means: 'AUTHENTICATION' } as const

/**
 * Enhanced status codes without their class (RFC 3463, 5248, 7372, 7505, 8616, IANA's registry, and Exchange Online's codes). Undefined
 * codes (X.Y.0) have neither. X.4.1 and X.4.4 have no scope, because some servers use them for unknown recipients. X.5 is a syntax
 * error, which an address may cause. X.7.1 is used for both blocked senders and protected recipients.
 */
const CODES: Readonly<Record<string, StatusCode>> = {
  // The recipient's address and mailbox.
  '1.1': { scope: 'message', means: 'MAILBOX_NOT_FOUND' },
  '1.2': { scope: 'message', means: 'DOMAIN_NOT_FOUND' },
  '1.3': { scope: 'message', means: 'MAILBOX_NOT_FOUND' },
  '1.4': OF_MESSAGE,
  '1.6': { scope: 'message', means: 'MAILBOX_NOT_FOUND' },
  '1.9': OF_MESSAGE,
  // A null MX; an unknown recipient at Exchange Online.
  '1.10': { scope: 'message', means: 'DOMAIN_NOT_FOUND' },
  // Exchange Online: an unknown recipient of a remote server; the sender's daily limit.
  '1.351': { means: 'MAILBOX_NOT_FOUND' },
  '1.90': { means: 'RATE_LIMIT' },
  '2.1': { scope: 'message', means: 'MAILBOX_DISABLED' },
  '2.2': { scope: 'message', means: 'MAILBOX_FULL' },
  '2.3': { scope: 'message', means: 'CONTENT' },
  '2.4': OF_MESSAGE,
  '2.121': { means: 'RATE_LIMIT' },
  '2.122': { means: 'RATE_LIMIT' },
  // The sender's address.
  '1.7': OUR_AUTHENTICATION,
  '1.8': OUR_AUTHENTICATION,
  // The server's disk and availability; the length of the message.
  '3.1': OF_US,
  '3.2': OF_US,
  '3.4': { scope: 'message', means: 'CONTENT' },
  '3.5': OF_US,
  // Its network and load.
  '4.2': OF_US,
  '4.3': OF_US,
  '4.5': OF_US,
  '4.7': OF_US,
  // Too many recipients: a limit of the sender, because each message has one. Then the login.
  '5.3': { scope: 'us', means: 'RATE_LIMIT' },
  '5.6': OF_US,
  // A restricted list.
  '7.2': OF_MESSAGE,
  // The login.
  '7.8': OF_US,
  '7.9': OF_US,
  '7.10': OF_US,
  '7.11': OF_US,
  '7.12': OF_US,
  '7.13': OF_US,
  '7.14': OF_US,
  // A mailbox or a domain with a new owner.
  '7.17': OF_MESSAGE,
  '7.18': OF_MESSAGE,
  '7.19': OF_MESSAGE,
  // DKIM, SPF, reverse DNS of our host, a null MX of the sender.
  '7.20': OUR_AUTHENTICATION,
  '7.21': OUR_AUTHENTICATION,
  '7.22': OUR_AUTHENTICATION,
  '7.23': OUR_AUTHENTICATION,
  '7.24': OUR_AUTHENTICATION,
  '7.25': OUR_AUTHENTICATION,
  '7.26': OUR_AUTHENTICATION,
  '7.27': OUR_AUTHENTICATION,
  // Too much mail.
  '7.28': { scope: 'us', means: 'RATE_LIMIT' },
  '7.29': OF_US,
  '7.509': { means: 'AUTHENTICATION' },
  '7.515': { means: 'AUTHENTICATION' },
}

/** Meaning of each subject of a status code (RFC 3463, section 3). Addresses (1) and mailboxes (2) depend on the detail. */
const SUBJECTS: Readonly<Record<string, CodeMeaning>> = {
  3: 'CONNECTION',
  4: 'CONNECTION',
  6: 'CONTENT',
  7: 'POLICY',
}

/** @param detail an enhanced status code without its class, such as 1.1 */
export const scopeOfCode = (detail: string): StatusCode['scope'] => CODES[detail]?.scope

/** @param detail an enhanced status code without its class, such as 1.1 */
export const meaningOfCode = (detail: string): CodeMeaning | undefined =>
  CODES[detail]?.means ?? SUBJECTS[detail[0] ?? '']
