import { withoutAddresses } from '../platform/email-address.ts'

/**
 * Kinds of bounces:
 * - HARD: the mailbox does not exist. The address is suppressed.
 * - SOFT: a temporary failure, such as a full mailbox. Five in a row count as HARD.
 * - BLOCKED: rejected because of the content or the sender, so it says nothing about the address
 * - COMPLAINT: the recipient marked it as spam
 * - UNSUBSCRIBE: the recipient unsubscribed at a mail provider
 */
export const BOUNCE_KINDS = ['HARD', 'SOFT', 'BLOCKED', 'COMPLAINT', 'UNSUBSCRIBE'] as const
export type BounceKind = (typeof BOUNCE_KINDS)[number]

export interface Verdict {
  kind: Extract<BounceKind, 'HARD' | 'SOFT' | 'BLOCKED'>
  /** Enhanced status code (RFC 3463), such as 5.1.1, or `null`. */
  status: string | null
}

/** An enhanced status code (RFC 3463) that is not part of an IP address. Its parts have up to three digits. */
const ENHANCED = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])/
/** An SMTP reply code at the start of a response (RFC 5321, section 4.2). */
const REPLY = /(?:^|;\s{0,9})([245])\d\d(?=[ :-])/
const NO_MAILBOX =
  /user unknown|unknown user\b|no such user|no mailbox here|does(?:n't| not) exist|not listed in|unrouteable address|recipient ?not ?found|couldn't find any host|host unknown/i
/** Texts that indicate an unknown mailbox, unless another cause is given. */
const LIKELY_NO_MAILBOX =
  /mailbox not found|(?:unknown|invalid|no such) (?:mailbox|recipient)\b|(?:mailbox|recipient) unknown/i
/** Texts about the sender, not the mailbox. */
const OUR_FAULT =
  /\bsender\b|return path|\b(?:spf|dkim|dmarc)\b|\bptr\b|reverse dns|\brdns\b|allow ?list|mail from\b|\bfrom:? header|\bhelo\b|your (?:ip|host|server)/i
/** May be about the sender, or a contact for questions. */
const OURS = /your domain/i
const TOO_FAST =
  /at a rate that|too many (?:\w+ ){0,3}(?:recipients|users|addresses)|too many (?:messages|connections)|rate limit/i
const FULL = /mailbox (?:is )?full|over ?quota|quota ?exceeded|out of storage/i
const REFUSED = /\bspam\b|block ?list|blocked using|content filter|unsolicited|policy|unauthenticated/i
const GAVE_UP = /too many failures|retry timeout|in the queue too long|envelope expired/i
/** The domain publishes in the DNS that it accepts no mail (RFC 7505). */
const NO_MAIL_AT_ALL = /null mx/i

/** Maximum characters to match. */
const MAX_TEXT = 10_000

/**
 * Classifies a failed delivery. The status of the report and the response of the other server decide together, because many
 * servers report 5.0.0 for everything, or turn a 4 into a 5 when they give up. When in doubt, it is SOFT.
 *
 * @param status status in the report of a server or a provider
 * @param reply the other server's response, as reported
 * @param text surrounding text, if there is no response
 * @see https://www.iana.org/assignments/smtp-enhanced-status-codes for the meaning of the codes
 */
export function classifyBounce(status: string | null, reply: string | null, text = ''): Verdict {
  const response = reply?.slice(0, MAX_TEXT) ?? ''
  const own = ENHANCED.exec(status?.slice(0, MAX_TEXT) ?? '')
  const theirs = ENHANCED.exec(response)
  const best = theirs && (!own || own[2] === '0' || theirs[1] !== own[1]) ? theirs : own
  const [code = null, ofCode, subject, detail] = best ?? []
  const of = REPLY.exec(response)?.[1] ?? ofCode
  // An address may contain any of these words.
  const all = withoutAddresses(`${response} ${text.slice(0, MAX_TEXT)}`)
  const verdict = (kind: Verdict['kind']): Verdict => ({ kind, status: code })

  if (FULL.test(all) || (subject === '2' && detail === '2')) return verdict('SOFT')
  if (TOO_FAST.test(all)) return verdict('SOFT')
  const isUnknown = NO_MAILBOX.test(all) || (LIKELY_NO_MAILBOX.test(all) && isNothingElse(all, subject))
  if (OUR_FAULT.test(all)) return verdict('BLOCKED')
  if (OURS.test(all) && !(isUnknown && subject === '1' && detail === '1')) return verdict('BLOCKED')
  if (NO_MAIL_AT_ALL.test(all)) return verdict('HARD')
  if (of === '4' || GAVE_UP.test(all)) return verdict('SOFT')
  if (isTooLarge(subject, detail) || isSendersFault(subject, detail)) return verdict('BLOCKED')
  if (subject === '7' || (!isUnknown && REFUSED.test(all))) return verdict('BLOCKED')
  if (isUnknown || isNoMailbox(subject, detail) || isExchange(all, subject, detail)) return verdict('HARD')
  return verdict('SOFT')
}

/**
 * Checks that no other cause is given: status codes of the system, the route or the message are not about the mailbox (RFC 3463,
 * section 3).
 */
const isNothingElse = (all: string, subject?: string): boolean =>
  !REFUSED.test(all) && !/temporar/i.test(all) && !['3', '4', '6'].includes(subject ?? '')

/** Matches 5.2.3 and 5.3.4. */
const isTooLarge = (subject?: string, detail?: string): boolean =>
  (subject === '2' && detail === '3') || (subject === '3' && detail === '4')

/** Matches 5.1.7 and 5.1.8: the sender's address is invalid. */
const isSendersFault = (subject?: string, detail?: string): boolean =>
  subject === '1' && (detail === '7' || detail === '8')

/** Matches 5.1.1, 2, 3, 6, null MX, and Exchange Online's codes; 5.2.1, disabled; 5.4.4, no such domain. */
const isNoMailbox = (subject?: string, detail?: string): boolean =>
  (subject === '1' && ['1', '2', '3', '6', '10', '351'].includes(detail ?? '')) ||
  (subject === '2' && detail === '1') ||
  (subject === '4' && detail === '4')

/** Matches 5.4.1 of Exchange Online, which means an unknown mailbox. Other servers use it if a host does not respond. */
const isExchange = (all: string, subject?: string, detail?: string): boolean =>
  subject === '4' && detail === '1' && /access denied|address rejected/i.test(all)
