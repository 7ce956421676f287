import type { IncomingHttpHeaders } from 'node:http'
import { isbot } from 'isbot'

/**
 * Kinds of visitors, as far as they can be distinguished:
 * - UNDECIDED: for a few seconds, until it is known whether the visit is part of a burst
 * - PERSON: the only visits that count
 * - MACHINE: the request identifies itself as automated
 * - EARLY: sooner after sending than a person could read the email
 * - BURST: links were visited faster than a person could
 */
export type Visitor = 'UNDECIDED' | 'PERSON' | 'MACHINE' | 'EARLY' | 'BURST'

/** The visitors who are certainly no persons. */
export const MACHINES: readonly Visitor[] = ['MACHINE', 'EARLY', 'BURST']

export const isByMachine = (visitor: Visitor | null): boolean => visitor !== null && MACHINES.includes(visitor)

/** Seconds after sending within which no person can have read the email. */
const EARLY_SECONDS = 10

/** Seconds in which a burst happens, and for which a visit is held back before it counts. */
export const BURST_SECONDS = 15

/** A person does not click this many links of an email within this time. */
const SEVERAL_CLICKS = { count: 3, seconds: 2 }

/** A person does not click two links within this time shortly after sending. */
const TWO_CLICKS_SECONDS = 5
const SHORTLY_SECONDS = 60

interface SentMessage {
  isInFlight: boolean
  secondsSinceSent: number
}

/**
 * Returns the visitor to whom a visit is attributed at first. While the mail server has not accepted an email, only the server
 * can open it.
 */
export function visitorOf(visit: { isMachine: boolean }, { isInFlight, secondsSinceSent }: SentMessage): Visitor {
  if (visit.isMachine) return 'MACHINE'
  return isInFlight || secondsSinceSent < EARLY_SECONDS ? 'EARLY' : 'UNDECIDED'
}

/** The last click on a link, in seconds before the newest visit, and the number of links in the email. */
export interface Click {
  secondsBefore: number
  links: number
}

/**
 * Checks whether clicks of the last {@link BURST_SECONDS} are a scanner's: all links of an email, or more than a person can
 * click.
 */
export function isBurst(clicks: readonly Click[], { isInFlight, secondsSinceSent }: SentMessage): boolean {
  const within = (seconds: number) => clicks.filter(({ secondsBefore }) => secondsBefore < seconds).length
  if (clicks.length >= 2 && clicks.length >= Math.max(...clicks.map(({ links }) => links))) return true
  if (within(SEVERAL_CLICKS.seconds) >= SEVERAL_CLICKS.count) return true
  return (isInFlight || secondsSinceSent < SHORTLY_SECONDS) && within(TWO_CLICKS_SECONDS) >= 2
}

/** Image proxies that load images only when an email is opened. A scan shortly after sending is recognized by its time. */
const FETCHES_WHEN_OPENED = /GoogleImageProxy|YahooMailProxy/i

/** Mail programs whose user agent is only their own name, which `isbot` takes for a script's. */
const MAIL_PROGRAM =
  /^(?:eM ?Client|(?:Microsoft )?Windows ?(?:Live )?Mail|NaverMail|NAVER|YahooMobile(?:Mail)?|Outlook-(?:iOS|Android)|Airmail|Thunderbird)\b/i

/** Apple's Mail Privacy Protection loads all images of all emails, and sends only this user agent. */
const APPLE_PREFETCH = 'Mozilla/5.0'

/** Gmail's image prefetch for other mail clients: the user agent of a browser from 2015 that is no longer in use. */
const GMAIL_PREFETCH = /Chrome\/42\.0\.2311\.135 Safari\/537\.36 Edge\/12\.246/

/**
 * Checks whether a request identifies itself as automated.
 * @see https://wicg.github.io/nav-speculation/prefetch.html Sec-Purpose
 */
export function isMachine(kind: 'OPEN' | 'CLICK', method: string, headers: IncomingHttpHeaders): boolean {
  if (method !== 'GET') return true
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  if (purposes.some((purpose) => /prefetch|preview|prerender/i.test(purpose))) return true
  const agent = headers['user-agent']?.trim() ?? ''
  if (agent === '' || agent === APPLE_PREFETCH || GMAIL_PREFETCH.test(agent)) return true
  if (MAIL_PROGRAM.test(agent)) return false
  return isbot(agent.slice(0, 1_000)) && !(kind === 'OPEN' && FETCHES_WHEN_OPENED.test(agent))
}
