import { withoutAddresses } from '../platform/email-address.ts'

/**
 * What came back of an email:
 * - HARD: there is no such mailbox: its address is mailed no more
 * - SOFT: it was given up this time: full, away, broken. Five in a row are as good as HARD
 * - BLOCKED: refused for what it says or where it comes from: none of the address's doing
 * - COMPLAINT: its recipient has called it spam
 * - UNSUBSCRIBE: its recipient has unsubscribed at a mail provider
 */
export const BOUNCE_KINDS = ['HARD', 'SOFT', 'BLOCKED', 'COMPLAINT', 'UNSUBSCRIBE'] as const
export type BounceKind = (typeof BOUNCE_KINDS)[number]

export interface Verdict {
  kind: Extract<BounceKind, 'HARD' | 'SOFT' | 'BLOCKED'>
  /** By RFC 3463, such as 5.1.1; `null` where there is none. */
  status: string | null
}

/** An enhanced status code (RFC 3463), and no part of an IP address. Its parts can have three digits. */
const ENHANCED = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])/
/** A reply code of SMTP at the beginning of what a server said (RFC 5321, section 4.2). */
const REPLY = /(?:^|;\s{0,9})([245])\d\d(?=[ :-])/
const NO_MAILBOX =
  /user unknown|unknown user\b|no such user|no mailbox here|does(?:n't| not) exist|not listed in|unrouteable address|recipient ?not ?found|couldn't find any host|host unknown/i
/** The same of who is likely not there, where nothing else is said. */
const LIKELY_NO_MAILBOX =
  /mailbox not found|(?:unknown|invalid|no such) (?:mailbox|recipient)\b|(?:mailbox|recipient) unknown/i
/** Said of us, and not of the mailbox. */
const OUR_FAULT =
  /\bsender\b|return path|\b(?:spf|dkim|dmarc)\b|\bptr\b|reverse dns|\brdns\b|allow ?list|mail from\b|\bfrom:? header|\bhelo\b|your (?:ip|host|server)/i
/** The same, or whom somebody may ask about it. */
const OURS = /your domain/i
const TOO_FAST =
  /at a rate that|too many (?:\w+ ){0,3}(?:recipients|users|addresses)|too many (?:messages|connections)|rate limit/i
const FULL = /mailbox (?:is )?full|over ?quota|quota ?exceeded|out of storage/i
const REFUSED = /\bspam\b|block ?list|blocked using|content filter|unsolicited|policy|unauthenticated/i
const GAVE_UP = /too many failures|retry timeout|in the queue too long|envelope expired/i
/** Said in the DNS: this domain takes no mail (RFC 7505). */
const NO_MAIL_AT_ALL = /null mx/i

/** So much is looked at of what somebody has written. */
const MOST = 10_000

/**
 * What a failed delivery says of its address. The status that a reporting server writes and what the other server has answered decide
 * together: many write 5.0.0 for everything, or turn a 4 into a 5 when they give up. In doubt it is SOFT.
 *
 * @param status as the report has it, or a provider
 * @param reply the other server's answer, as it is told
 * @param words around it, where there is no answer
 * @see https://www.iana.org/assignments/smtp-enhanced-status-codes what the codes mean
 */
export function classifyBounce(status: string | null, reply: string | null, words = ''): Verdict {
  const said = reply?.slice(0, MOST) ?? ''
  const own = ENHANCED.exec(status?.slice(0, MOST) ?? '')
  const theirs = ENHANCED.exec(said)
  const best = theirs && (!own || own[2] === '0' || theirs[1] !== own[1]) ? theirs : own
  const [code = null, ofCode, subject, detail] = best ?? []
  const of = REPLY.exec(said)?.[1] ?? ofCode
  // What somebody's address is called says nothing of it.
  const all = withoutAddresses(`${said} ${words.slice(0, MOST)}`)
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

/** What is said of the system, the way there or the message is not said of the mailbox (RFC 3463, section 3). */
const isNothingElse = (all: string, subject?: string): boolean =>
  !REFUSED.test(all) && !/temporar/i.test(all) && !['3', '4', '6'].includes(subject ?? '')

/** 5.2.3 and 5.3.4. */
const isTooLarge = (subject?: string, detail?: string): boolean =>
  (subject === '2' && detail === '3') || (subject === '3' && detail === '4')

/** 5.1.7 and 5.1.8: the address that is wrong is ours. */
const isSendersFault = (subject?: string, detail?: string): boolean =>
  subject === '1' && (detail === '7' || detail === '8')

/** 5.1.1, 2, 3, 6, null MX, and Exchange Online's; 5.2.1, disabled; 5.4.4, no such domain. */
const isNoMailbox = (subject?: string, detail?: string): boolean =>
  (subject === '1' && ['1', '2', '3', '6', '10', '351'].includes(detail ?? '')) ||
  (subject === '2' && detail === '1') ||
  (subject === '4' && detail === '4')

/** 5.4.1 is that a host does not answer; Exchange Online says it of whom it does not know. */
const isExchange = (all: string, subject?: string, detail?: string): boolean =>
  subject === '4' && detail === '1' && /access denied|address rejected/i.test(all)
