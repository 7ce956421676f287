import type { BounceCategory } from './categories.ts'
import type { StatusCode } from './smtp-reply.ts'

/** Meaning of each subject of a status code (RFC 3463, section 3). Addresses (1) and mailboxes (2) depend on the detail. */
const SUBJECTS: Readonly<Record<string, BounceCategory>> = {
  3: 'CONNECTION',
  4: 'CONNECTION',
  6: 'CONTENT',
  7: 'POLICY',
}

/** Status codes with a more specific meaning (RFC 3463, 5248, 7372, 7505, 8616 and Exchange Online's codes). */
const DETAILS: Readonly<Record<string, BounceCategory>> = {
  '1.1': 'MAILBOX_NOT_FOUND',
  '1.2': 'DOMAIN_NOT_FOUND',
  '1.3': 'MAILBOX_NOT_FOUND',
  '1.6': 'MAILBOX_NOT_FOUND',
  // The sender's address.
  '1.7': 'AUTHENTICATION',
  '1.8': 'AUTHENTICATION',
  // A null MX; an unknown recipient at Exchange Online.
  '1.10': 'DOMAIN_NOT_FOUND',
  // Exchange Online: an unknown recipient of a remote server; the sender's daily limit.
  '1.351': 'MAILBOX_NOT_FOUND',
  '1.90': 'RATE_LIMIT',
  '2.1': 'MAILBOX_DISABLED',
  '2.2': 'MAILBOX_FULL',
  '2.3': 'CONTENT',
  '2.121': 'RATE_LIMIT',
  '2.122': 'RATE_LIMIT',
  '3.4': 'CONTENT',
  '5.3': 'RATE_LIMIT',
  // DKIM, SPF, reverse DNS and their combinations.
  '7.20': 'AUTHENTICATION',
  '7.21': 'AUTHENTICATION',
  '7.22': 'AUTHENTICATION',
  '7.23': 'AUTHENTICATION',
  '7.24': 'AUTHENTICATION',
  '7.25': 'AUTHENTICATION',
  '7.26': 'AUTHENTICATION',
  '7.27': 'AUTHENTICATION',
  '7.28': 'RATE_LIMIT',
  '7.509': 'AUTHENTICATION',
  '7.515': 'AUTHENTICATION',
}

/** Returns the category that a status code means, or `undefined` if it is not specific. */
export function categoryOfCode({ class: level, detail }: StatusCode): BounceCategory | undefined {
  // Many servers use 4.2.1 for any problem with a mailbox.
  if (level === '4' && detail === '2.1') return undefined
  return DETAILS[detail] ?? SUBJECTS[detail[0]!]
}

/** SMTP reply codes with one meaning (RFC 4954, RFC 7504). */
const REPLY_CODES: Readonly<Record<string, BounceCategory>> = {
  530: 'AUTHENTICATION',
  534: 'AUTHENTICATION',
  535: 'AUTHENTICATION',
  556: 'DOMAIN_NOT_FOUND',
}

export const categoryOfReply = (reply: string): BounceCategory | undefined => REPLY_CODES[reply.slice(0, 3)]
