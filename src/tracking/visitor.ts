import type { IncomingHttpHeaders } from 'node:http'
import { isbot } from 'isbot'

/**
 * Who has visited a link, as far as that can be told:
 * - UNDECIDED: for some seconds, until it is known whether others of its email are visited with it
 * - PERSON: what counts
 * - MACHINE: it says so
 * - EARLY: it was there sooner than anybody reads
 * - BURST: links were visited as no person does
 */
export type Visitor = 'UNDECIDED' | 'PERSON' | 'MACHINE' | 'EARLY' | 'BURST'

/** Mail programs that fetch pictures when an email is opened, and not before: what is soon behind the hand-over is told by its time. */
const FETCHES_WHEN_OPENED = /GoogleImageProxy|YahooMailProxy/i

/** Apple's Mail Privacy Protection fetches all pictures of all emails, and says nothing but this. */
const APPLE_PREFETCH = 'Mozilla/5.0'

/** Gmail's prefetch of pictures, for programs of others: a browser of 2015, which nobody has any more. */
const GMAIL_PREFETCH = /Chrome\/42\.0\.2311\.135 Safari\/537\.36 Edge\/12\.246/

/**
 * Whether a request says itself that no person has made it.
 * @see https://wicg.github.io/nav-speculation/prefetch.html Sec-Purpose
 */
export function isMachine(kind: 'OPEN' | 'CLICK', method: string, headers: IncomingHttpHeaders): boolean {
  if (method !== 'GET') return true
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''))
  if (purposes.some((purpose) => /prefetch|preview|prerender/i.test(purpose))) return true
  const agent = headers['user-agent']?.trim() ?? ''
  if (agent === '' || agent === APPLE_PREFETCH || GMAIL_PREFETCH.test(agent)) return true
  return isbot(agent.slice(0, 1_000)) && !(kind === 'OPEN' && FETCHES_WHEN_OPENED.test(agent))
}
