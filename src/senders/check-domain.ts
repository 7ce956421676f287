import type { Dns } from '../platform/dns.ts'
import { dkimRecord, type DkimKeys, type DnsRecord } from './dns-records.ts'
import { isFreeMail } from './free-mail.ts'
import {
  type DmarcPolicy,
  type DmarcVerdict,
  describeVerdict,
  type Mechanism,
  type Policy,
} from './describe-verdict.ts'

export interface CheckedRecord extends DnsRecord {
  /** MISSING: there is no such record; WRONG: there is a different one; UNKNOWN: the lookup failed. */
  status: 'OK' | 'MISSING' | 'WRONG' | 'UNKNOWN'
  found: string[]
  /** Description of the error. */
  problem: string | null
  /** DNS lookups that an SPF record causes. */
  lookups: number | null
}
type Finding = Pick<CheckedRecord, 'status' | 'found' | 'problem'> & Partial<Pick<CheckedRecord, 'note' | 'lookups'>>

export interface SenderWarning {
  code: 'free_mail_domain' | 'mx_missing' | 'null_mx'
  message: string
}

export interface DomainCheck {
  records: CheckedRecord[]
  dmarc: DmarcVerdict | null
  warnings: SenderWarning[]
}

/**
 * Checks the published records of a sender, and what they mean for its emails.
 *
 * @param fromDomain domain of the From header; `undefined` if there is no sender
 * @param returnDomain domain of return paths
 */
export async function checkDomain(
  dns: Dns,
  {
    records,
    keys,
    fromDomain,
    returnDomain = fromDomain,
  }: {
    records: readonly DnsRecord[]
    keys: DkimKeys
    fromDomain: string | undefined
    returnDomain: string | undefined
  },
): Promise<DomainCheck> {
  const signing = keys.SIGNING
  const domains =
    fromDomain === undefined ? undefined : { fromDomain, spfDomain: returnDomain, dkimDomain: signing?.domain }
  const [spfFound, dkimFound, published, warnings] = await Promise.all([
    returnDomain === undefined ? undefined : checkSpf(dns, returnDomain),
    signing && checkDkim(dns, dkimRecord(signing)),
    domains && checkDmarc(dns, domains),
    fromDomain === undefined ? [] : warningsOf(dns, fromDomain),
  ])
  const findings: Partial<Record<DnsRecord['what'], Finding | undefined>> = {
    SPF: spfFound,
    DKIM: dkimFound,
    DMARC: published?.finding,
  }
  return {
    records: await Promise.all(
      records.map(async (record) => ({
        lookups: null,
        ...record,
        ...shortened(findings[record.what] ?? (await checkOther(dns, record))),
      })),
    ),
    dmarc: domains && published ? verdictOf(published, domains, { spf: spfFound, dkim: dkimFound }) : null,
    warnings,
  }
}

/** Checks the record of a DKIM key. */
export const checkDkim = (dns: Dns, record: DnsRecord): Promise<Finding> =>
  orUnknown(async () => {
    const found = (await dns.texts(record.name)).filter((text) => tagOf(text, 'p') !== undefined)
    return judged(found, (text) => dkimProblem(text, record.value))
  })

const checkOther = (dns: Dns, record: DnsRecord): Promise<Finding> =>
  record.what === 'RETURN_PATH' ? checkReturnPath(dns, record) : checkDkim(dns, record)

const checkReturnPath = (dns: Dns, { name }: DnsRecord): Promise<Finding> =>
  orUnknown(async () => {
    const found = await dns.exchanges(name)
    if (found.length === 0) return { status: 'MISSING', found, problem: null }
    return found.every(isNullMx)
      ? { status: 'WRONG', found, problem: 'The record declares that this domain accepts no mail (RFC 7505)' }
      : { status: 'OK', found, problem: null }
  })

const isNullMx = (text: string): boolean => /^\d+ \.?$/.test(text)

/** Reports several records, or the problem of the only one. */
function judged(found: string[], problemOf: (text: string) => string | null): Finding {
  const [text] = found
  if (text === undefined) return { status: 'MISSING', found, problem: null }
  const problem = found.length > 1 ? several(found.length) : problemOf(text)
  return { status: problem === null ? 'OK' : 'WRONG', found, problem }
}

const several = (count: number): string =>
  `There are ${count} such records, so receivers ignore all of them. Keep only one.`

async function orUnknown(check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException
    return { status: 'UNKNOWN', found: [], problem: `The DNS lookup failed: ${code}` }
  }
}

const shortened = (finding: Finding): Finding => ({
  ...finding,
  found: finding.found.slice(0, 5).map((text) => text.slice(0, 1_000)),
})

/** Limits of a receiver (RFC 7208, section 4.6.4). */
const MAX_LOOKUPS = 10
const MAX_VOID_LOOKUPS = 2
/** Lookups to count, for the message. An include can loop. */
const MAX_COUNTED = 30
const MAX_SPF_MS = 15_000
/** An address that no record lists, so that the evaluation reaches the end of the record. */
const UNLISTED_ADDRESS = '0.0.0.0'

/** Loads mailauth when it is needed: it takes 34 MB and half a second. */
const loadSpf = () => import('mailauth/lib/spf/index.js')
const loadDmarc = () => import('mailauth/lib/dmarc/index.js')

const checkSpf = (dns: Dns, domain: string): Promise<Finding> =>
  orUnknown(async () => {
    const found = (await dns.texts(domain)).filter((text) => /^v=spf1(?: |$)/i.test(text))
    const first = judged(found, (text) =>
      /YOUR-PROVIDER/i.test(text)
        ? 'The record names no sender. Replace YOUR-PROVIDER with the value that your mail provider documents.'
        : null,
    )
    if (first.status !== 'OK') return first
    const { spf } = await loadSpf()
    const { status, lookups } = await spf({
      sender: `postmaster@${domain}`,
      helo: domain,
      ip: UNLISTED_ADDRESS,
      resolver: dns.resolve,
      maxResolveCount: MAX_COUNTED,
      maxVoidCount: MAX_COUNTED,
      maxElapsedTime: MAX_SPF_MS,
    })
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

function dkimProblem(text: string, expected: string): string | null {
  const version = tagOf(text, 'v')
  if (version !== undefined && version !== 'DKIM1') return 'The record must begin with v=DKIM1'
  const key = tagOf(text, 'p')
  if (key === '') return 'The record revokes the key: p is empty (RFC 6376, section 3.6.1)'
  if (key !== tagOf(expected, 'p')) return 'The record has a different key from the one that signs the mail'
  if ((tagOf(text, 'k') ?? 'rsa') !== 'rsa') return 'The record must have k=rsa, or no k'
  if (tagOf(text, 't')?.split(':').includes('y') === true)
    return 'The record marks the key as a test, so receivers treat the mail as unsigned. Remove t=y.'
  return null
}

/** The value of a tag without whitespace; `undefined` if the record does not have it (RFC 6376, section 3.2). */
const tagOf = (text: string, tag: string): string | undefined =>
  new RegExp(`(?:^|;)\\s*${tag}\\s*=([^;]*)`, 'i').exec(text)?.[1]?.replace(/\s/g, '')

/** The start of a DMARC record. The value is case-sensitive (RFC 9989, section 4.8). */
const DMARC_RECORD = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/i
const isDmarcRecord = (text: string): boolean => DMARC_RECORD.test(text) && text.includes('DMARC1')

interface Domains {
  fromDomain: string
  spfDomain: string | undefined
  dkimDomain: string | undefined
}

/** The DMARC record that applies to a domain, and what aligns with it. */
interface PublishedPolicy extends Policy {
  finding: Finding
  /** Whether the domain of SPF or DKIM aligns with From; `undefined` if a lookup failed. */
  isAligned: { spf: boolean | undefined; dkim: boolean | undefined }
}

/**
 * Finds the DMARC record by tree walk (RFC 9989, section 4.10), and compares the domains (section 4.10.2). An inherited record
 * applies its `sp` or `np`, `t=y` lowers the policy by one level, and a record without a valid `p` counts as `p=none` if it has
 * a `rua`.
 */
async function checkDmarc(dns: Dns, { fromDomain, spfDomain, dkimDomain }: Domains): Promise<PublishedPolicy> {
  const isSame = { spf: spfDomain === fromDomain, dkim: dkimDomain === fromDomain }
  // The record to publish makes From the organizational domain, with which its subdomains align.
  const alignsOncePublished = (domain = '') => `.${domain}`.endsWith(`.${fromDomain}`)
  const isUnder = { spf: alignsOncePublished(spfDomain), dkim: alignsOncePublished(dkimDomain) }
  const common = { organizationalDomain: fromDomain, isStrict: { spf: false, dkim: false } }
  const none = { policy: null, policyDomain: null }
  let own: string[] = []
  const failed = await orUnknown(async () => {
    own = (await dns.texts(`_dmarc.${fromDomain}`)).filter((text) => /DMARC1/i.test(text))
    return { status: 'OK', found: own, problem: null }
  })
  const { dmarc } = await loadDmarc()
  const answer = await dmarc({
    headerFrom: `postmaster@${fromDomain}`,
    spfDomains: spfDomain === undefined ? [] : [spfDomain],
    dkimDomains: dkimDomain === undefined ? [] : [{ domain: dkimDomain }],
    resolver: dns.resolve,
  })
  const result = answer === false ? 'none' : answer.status.result
  if (
    failed.status === 'UNKNOWN' ||
    answer === false ||
    (result === 'temperror' && answer.policyDomain === undefined)
  ) {
    const finding = failed.status === 'UNKNOWN' ? failed : unknownRecord(answer === false ? undefined : answer.error)
    return { finding, ...none, ...common, isAligned: unknownUnless(isSame) }
  }
  if (result === 'none') return { finding: withoutPolicy(own), ...none, ...common, isAligned: isUnder }
  const { alignment, policyDomain = fromDomain, policy, rr = '' } = answer
  const isOwn = policyDomain === fromDomain
  const aligned = { spf: alignment?.spf.result !== undefined, dkim: alignment?.dkim.result !== undefined }
  return {
    finding: isOwn ? judged([rr], policyProblem) : inherited(own, policyDomain, rr),
    policy: policy as DmarcPolicy,
    policyDomain,
    organizationalDomain: answer.domain,
    isAligned: result === 'temperror' ? unknownUnless(aligned) : aligned,
    isStrict: { spf: alignment?.spf.strict === true, dkim: alignment?.dkim.strict === true },
  }
}

const unknownUnless = ({ spf, dkim }: { spf: boolean; dkim: boolean }): PublishedPolicy['isAligned'] => ({
  spf: spf || undefined,
  dkim: dkim || undefined,
})

const unknownRecord = (error = 'no answer'): Finding => ({
  status: 'UNKNOWN',
  found: [],
  problem: `The DNS lookup failed: ${error}`,
})

/** Describes why no DMARC record applies. */
function withoutPolicy(own: string[]): Finding {
  if (own.length === 0) return { status: 'MISSING', found: [], problem: null }
  const valid = own.filter(isDmarcRecord)
  const [text] = valid
  if (text === undefined)
    return { status: 'WRONG', found: own, problem: 'The record must begin with v=DMARC1; in capital letters' }
  if (valid.length > 1) return { status: 'WRONG', found: own, problem: several(valid.length) }
  const problem =
    tagOf(text, 'p') === undefined
      ? 'The record has neither p nor rua, so receivers ignore it. Add p=none.'
      : `${POLICY_WRONG}. Receivers ignore the record.`
  return { status: 'WRONG', found: own, problem }
}

const POLICY_WRONG = 'p, sp and np must be none, quarantine or reject'

/** Reports a record whose policy is invalid. A missing `p` is allowed. */
const policyProblem = (text: string): string | null =>
  ['p', 'sp', 'np'].some((tag) => !/^(?:none|quarantine|reject)?$/i.test(tagOf(text, tag) ?? ''))
    ? `${POLICY_WRONG}. Receivers treat the record as p=none.`
    : null

/** Reports the record of a parent domain. Records of the domain itself are ignored then. */
function inherited(own: string[], policyDomain: string, rr: string): Finding {
  if (own.length > 0) return withoutPolicy(own)
  const note = `The record of ${policyDomain} applies to this domain, which needs none of its own.`
  return { ...judged([rr], policyProblem), note }
}

function verdictOf(
  published: PublishedPolicy,
  { fromDomain, spfDomain, dkimDomain }: Domains,
  found: { spf: Finding | undefined; dkim: Finding | undefined },
): DmarcVerdict {
  const { isAligned, policy, policyDomain, finding } = published
  const mechanisms = {
    spf: { domain: spfDomain ?? null, status: statusOf(found.spf, isAligned.spf) },
    dkim: { domain: dkimDomain ?? null, status: statusOf(found.dkim, isAligned.dkim) },
  }
  const statuses = [mechanisms.spf.status, mechanisms.dkim.status]
  const resultOf = (): DmarcVerdict['result'] => {
    if (isFreeMail(fromDomain)) return 'FAIL'
    if (finding.status === 'UNKNOWN') return 'UNKNOWN'
    if (policy === null) return 'NONE'
    if (statuses.includes('PASS')) return 'PASS'
    return statuses.includes('UNKNOWN') ? 'UNKNOWN' : 'FAIL'
  }
  const facts = { result: resultOf(), fromDomain, policy, policyDomain, ...mechanisms }
  if (isFreeMail(fromDomain))
    return {
      ...facts,
      summary: `DMARC fails, because only ${fromDomain} itself can authorize servers to send for it.`,
      advice: 'Send from a domain that you own.',
    }
  return { ...facts, ...describeVerdict(facts, published) }
}

function statusOf(found: Finding | undefined, isAligned: boolean | undefined): Mechanism['status'] {
  if (found === undefined) return 'FAIL'
  if (isAligned === false) return 'NOT_ALIGNED'
  if (found.status === 'UNKNOWN' || isAligned === undefined) return 'UNKNOWN'
  return found.status === 'OK' ? 'PASS' : 'FAIL'
}

/** Warns of a From domain that receivers distrust. */
async function warningsOf(dns: Dns, domain: string): Promise<SenderWarning[]> {
  if (isFreeMail(domain)) {
    const message = `${domain} belongs to a mailbox provider, so you cannot publish its DNS records. Send from a domain that you own.`
    return [{ code: 'free_mail_domain', message }]
  }
  let found: string[]
  try {
    found = await dns.exchanges(domain)
  } catch {
    return []
  }
  if (found.length === 0) {
    const message = `${domain} has no MX record. Some receivers reject email from a domain that cannot receive replies. Publish one.`
    return [{ code: 'mx_missing', message }]
  }
  if (!found.every(isNullMx)) return []
  const message = `${domain} declares that it accepts no mail (RFC 7505). Receivers may reject email from it. Publish another MX record.`
  return [{ code: 'null_mx', message }]
}
