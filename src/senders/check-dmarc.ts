import type { Dns } from '../platform/dns.ts'
import type { DmarcPolicy, Policy } from './describe-verdict.ts'
import { type Finding, judged, orUnknown, several, tagOf } from './finding.ts'

/** Loads mailauth when it is needed: it takes 34 MB and half a second. */
const loadDmarc = () => import('mailauth/lib/dmarc/index.js')

/** The start of a DMARC record. The value is case-sensitive (RFC 9989, section 4.8). */
const DMARC_RECORD = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/i
const isDmarcRecord = (text: string): boolean => DMARC_RECORD.test(text) && text.includes('DMARC1')

export interface Domains {
  fromDomain: string
  spfDomain: string | undefined
  dkimDomain: string | undefined
}

/** The DMARC record that applies to a domain, and what aligns with it. */
export interface PublishedPolicy extends Policy {
  finding: Finding
  /** Whether the domain of SPF or DKIM aligns with From; `undefined` if a lookup failed. */
  isAligned: { spf: boolean | undefined; dkim: boolean | undefined }
}

/**
 * Finds the DMARC record by tree walk (RFC 9989, section 4.10), and compares the domains (section 4.10.2). An inherited record
 * applies its `sp` or `np`, `t=y` lowers the policy by one level, and a record without a valid `p` counts as `p=none` if it has
 * a `rua`.
 */
export async function checkDmarc(dns: Dns, { fromDomain, spfDomain, dkimDomain }: Domains): Promise<PublishedPolicy> {
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
