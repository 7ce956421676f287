import { withoutAddresses } from '../platform/email-address.ts'
import type { BounceCategory } from './categories.ts'
import * as concepts from './concepts.ts'
import type { StatusCode } from './smtp-reply.ts'

/**
 * Returns the category that the words of a reply state. Servers often send an unspecific or wrong code with precise words, so
 * words come before codes. What concerns the sender comes before the mailbox, so that no valid address is suppressed.
 *
 * @param status the status code in the same reply
 */
export function categoryOfWords(words: string, status: StatusCode | undefined): BounceCategory | undefined {
  const detail = status?.detail ?? ''
  const isPolicy = detail.startsWith('7.')
  if (concepts.TOO_LARGE.test(words) && detail !== '2.2') return 'CONTENT'
  if ((concepts.FULL.test(words) && !isPolicy) || detail === '2.2') return 'MAILBOX_FULL'
  if (concepts.GREYLISTED.test(words) || concepts.NO_CONNECTION.test(words)) return 'CONNECTION'
  if (concepts.RATE.test(words)) return 'RATE_LIMIT'
  if (concepts.AUTHENTICATION.test(words)) return 'AUTHENTICATION'
  if (concepts.REPUTATION.test(words)) return 'REPUTATION'
  if (concepts.CONTENT.test(words)) return 'CONTENT'
  if (concepts.SYSTEM_FAILED.test(words) && status?.class === '4') return 'CONNECTION'
  if (concepts.MAINTENANCE.test(words)) return 'CONNECTION'
  if (concepts.NOT_FROM_US.test(words)) return 'POLICY'
  const canBeMailbox = !ABOUT_SOMETHING_ELSE.test(detail)
  if (concepts.DISABLED.test(words) && canBeMailbox) return 'MAILBOX_DISABLED'
  if (concepts.NOT_FOUND.test(words) && canBeMailbox) return 'MAILBOX_NOT_FOUND'
  if (concepts.NO_DOMAIN.test(words) && (canBeMailbox || detail === '4.4') && !isPolicy) return 'DOMAIN_NOT_FOUND'
  if (concepts.ADDRESS_REJECTED.test(words) && ['', '0.0', '1.0'].includes(detail)) return 'MAILBOX_NOT_FOUND'
  if (concepts.ADDRESS_DENIED.test(words) && detail === '4.1') return 'MAILBOX_NOT_FOUND'
  if (concepts.POLICY.test(words)) return 'POLICY'
  if (concepts.UNAVAILABLE.test(words) && canBeMailbox && !isPolicy) return 'MAILBOX_NOT_FOUND'
  return undefined
}

/** Specific codes of the sender, the system, the route, the syntax, the message. They outweigh words about a mailbox. */
const ABOUT_SOMETHING_ELSE = /^(?:1\.[78]$|3\.[1-9]|4\.[1-9]|5\.[24]$|6\.[1-9]|7\.2)/

/** Returns the category that words suggest if no code has a meaning. */
export function likelyCategory(words: string): BounceCategory | undefined {
  if (concepts.REFUSED.test(words)) return 'POLICY'
  return concepts.FAILED_FOR_NOW.test(words) ? 'CONNECTION' : undefined
}

/** Removes what looks like words but is not: addresses, links, host names, and codes inside multi-line replies. */
export const wordsOf = (text: string): string =>
  withoutAddresses(text)
    .replace(/(?:https?:\/\/|www\.)\S+/gi, placeholderOf)
    .replace(HOST, (name) => (/\.[A-Z]|^[\d.-]+$/.test(name) ? name : placeholderOf(name)))
    .replace(/\b[2-5]\d\d[ -](?:[245]\.\d{1,3}\.\d{1,3}\b)?/g, ' ')
    .replace(/\s+/g, ' ')

/** A host name. Not two sentences without a space between them. */
const HOST = /\b[\w-]{1,63}(?:\.[\w-]{1,63})+\b/g
/** Blocklists are named by their hosts. */
const BLOCKLIST = /spamhaus|spamcop|dnsbl|\brbl|sorbs|barracuda|cloudmark|reputation|blocklist|blacklist/i
const placeholderOf = (link: string): string => (BLOCKLIST.test(link) ? ' blocklist ' : ' ∘ ')
