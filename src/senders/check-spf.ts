import type { Dns } from '../platform/dns.ts'
import { type Finding, judged, orUnknown } from './finding.ts'

/** Limits of a receiver (RFC 7208, section 4.6.4). */
const MAX_LOOKUPS = 10
const MAX_VOID_LOOKUPS = 2
const MAX_MX_HOSTS = 10
/** Lookups to count, for the message. An include can loop. */
const MAX_COUNTED = 30
const MAX_SPF_MS = 15_000
/** An address that no record lists, so that the evaluation reaches the end of the record. */
const UNLISTED_ADDRESS = '0.0.0.0'

/** Loads mailauth when it is needed: it takes 34 MB and half a second. */
const loadSpf = () => import('mailauth/lib/spf/index.js')

export const checkSpf = (dns: Dns, domain: string): Promise<Finding> =>
  orUnknown(async () => {
    const found = (await dns.texts(domain)).filter((text) => /^v=spf1(?: |$)/i.test(text))
    const first = judged(found, (text) =>
      /YOUR-PROVIDER/i.test(text)
        ? 'The record names no sender. Replace YOUR-PROVIDER with the value that your mail provider documents.'
        : null,
    )
    if (first.status !== 'OK') return first
    const { spf } = await loadSpf()
    const crowded: string[] = []
    // mailauth has one limit for the lookups of a record and for the hosts of an `mx`, which here is too high for the hosts.
    const resolve: Dns['resolve'] = async (name, type) => {
      const records = await dns.resolve(name, type)
      if (type === 'MX' && records.length > MAX_MX_HOSTS) crowded.push(name)
      return records
    }
    const { status, lookups } = await spf({
      sender: `postmaster@${domain}`,
      helo: domain,
      ip: UNLISTED_ADDRESS,
      resolver: resolve,
      // Many receivers reject a record with an error after the term that matches (RFC 7208, section 4.6).
      strict: true,
      maxResolveCount: MAX_COUNTED,
      maxVoidCount: MAX_COUNTED,
      maxElapsedTime: MAX_SPF_MS,
    })
    if (crowded[0] !== undefined) {
      const problem = `The mail servers of ${crowded[0]} are more than ${MAX_MX_HOSTS}, and receivers reject the mechanism mx then. Replace it with ip4 or include.`
      return { status: 'WRONG', found, problem, lookups: lookups?.count ?? null }
    }
    const comment = typeof status.comment === 'string' ? status.comment : 'no details'
    if (status.result === 'temperror')
      return { status: 'UNKNOWN', found, problem: `The record cannot be evaluated now: ${comment}` }
    const problem = spfProblem(found[0]!, { ...status, comment }, lookups ?? { count: 0, void: 0 })
    return { status: problem === null ? 'OK' : 'WRONG', found, problem, lookups: lookups?.count ?? null }
  })

function spfProblem(
  text: string,
  { result, comment }: { result: string; comment: string },
  lookups: { count: number; void: number },
): string | null {
  if (lookups.count > MAX_LOOKUPS) {
    const count = lookups.count >= MAX_COUNTED ? `${MAX_COUNTED} or more` : lookups.count
    return `The record needs ${count} DNS lookups, and receivers reject it after ${MAX_LOOKUPS}. Remove includes that you do not need.`
  }
  if (lookups.void > MAX_VOID_LOOKUPS)
    return `${lookups.void} lookups of the record find nothing, and receivers reject it after ${MAX_VOID_LOOKUPS}. Remove names that do not exist.`
  if (result === 'permerror') return `Receivers cannot evaluate the record: ${comment}`
  if (result === 'pass') return 'The record allows every host to send for this domain. End it with ~all or -all.'
  const authorizes = text
    .split(/\s+/)
    .some((term) => /^\+?(?:a|mx|ptr|ip4|ip6|include|exists|redirect)(?:[:=/]|$)/i.test(term))
  return authorizes ? null : 'The record authorizes no host. Add the value that your mail provider documents.'
}
