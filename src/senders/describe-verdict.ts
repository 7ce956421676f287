/** One of the two mechanisms that DMARC relies on, and the domain that it authenticates. */
export interface Mechanism {
  domain: string | null
  /** FAIL: its record is missing or wrong, or mail is not signed; NOT_ALIGNED: it passes for another domain. */
  status: 'PASS' | 'NOT_ALIGNED' | 'FAIL' | 'UNKNOWN'
}

export type DmarcPolicy = 'none' | 'quarantine' | 'reject'

/** Result of DMARC for the emails of a sender (RFC 9989), if its mail provider sends them as published. */
export interface DmarcVerdict {
  /** NONE: no DMARC record applies to the domain; UNKNOWN: a lookup failed. */
  result: 'PASS' | 'FAIL' | 'NONE' | 'UNKNOWN'
  summary: string
  advice: string | null
  fromDomain: string
  /** The policy that receivers apply to the domain, and the domain of its record. */
  policy: DmarcPolicy | null
  policyDomain: string | null
  spf: Mechanism
  dkim: Mechanism
}

/** The DMARC record that applies to a domain. */
export interface Policy {
  policy: DmarcPolicy | null
  policyDomain: string | null
  /** The domain that relaxed alignment compares. */
  organizationalDomain: string
  /** Whether alignment requires the same domain. */
  isStrict: { spf: boolean; dkim: boolean }
}

type Facts = Omit<DmarcVerdict, 'summary' | 'advice'>

/** Describes a verdict: which mechanisms pass, why others do not, and what to do. */
export function describeVerdict(facts: Facts, published: Policy): Pick<DmarcVerdict, 'summary' | 'advice'> {
  const spf = describeSpf(facts, published)
  const dkim = describeDkim(facts, published)
  const reasons = [spf.reason, dkim.reason]
  const advice = sentences([dkim.advice, spf.advice])
  switch (facts.result) {
    case 'PASS':
      return { summary: sentences([`DMARC passes on ${passing(facts)}.`, ...reasons])!, advice }
    case 'NONE':
      return {
        summary: sentences([`No DMARC record applies to ${facts.fromDomain}.`, ...reasons])!,
        advice: sentences(['Publish the DMARC record, which Gmail, Yahoo and Outlook require for bulk email.', advice]),
      }
    case 'UNKNOWN':
      return { summary: 'DMARC cannot be judged, because a DNS lookup failed.', advice: 'Check again later.' }
    case 'FAIL':
      return { summary: sentences(['DMARC fails.', ...reasons, CONSEQUENCES[facts.policy ?? 'none']])!, advice }
  }
}

const CONSEQUENCES = {
  none: 'Large providers reject or filter bulk email that fails.',
  quarantine: 'The policy asks receivers to put such email into spam.',
  reject: 'The policy asks receivers to reject such email.',
}

const sentences = (parts: readonly (string | null)[]): string | null =>
  parts.filter((part) => part !== null && part !== '').join(' ') || null

function passing({ spf, dkim }: Facts): string {
  if (spf.status === 'PASS' && dkim.status === 'PASS') return 'SPF and DKIM'
  return spf.status === 'PASS' ? 'SPF only' : 'DKIM only'
}

interface Description {
  reason: string | null
  advice: string | null
}
const FINE: Description = { reason: null, advice: null }
const unknown = (name: string): Description => ({
  reason: `The lookup of ${name} failed.`,
  advice: 'Check again later.',
})

function describeSpf({ fromDomain, spf }: Facts, { isStrict, organizationalDomain }: Policy): Description {
  const { status, domain } = spf
  switch (status) {
    case 'PASS':
      return FINE
    case 'UNKNOWN':
      return unknown('SPF')
    case 'FAIL':
      return {
        reason: `The SPF record of ${domain} is missing or wrong.`,
        advice: `Correct the SPF record of ${domain}.`,
      }
    case 'NOT_ALIGNED':
      return {
        reason: `SPF authenticates ${domain}, which does not align with ${fromDomain}.`,
        advice: isStrict.spf
          ? `Remove aspf=s from the DMARC record, or use ${fromDomain} as the bounce domain.`
          : `Use a bounce domain under ${organizationalDomain}.`,
      }
  }
}

function describeDkim({ fromDomain, dkim }: Facts, { isStrict }: Policy): Description {
  const { status, domain } = dkim
  switch (status) {
    case 'PASS':
      return FINE
    case 'UNKNOWN':
      return unknown('DKIM')
    case 'FAIL':
      return domain === null
        ? {
            reason: 'Emails are not signed by Dripline.',
            advice: 'Set up DKIM, unless your mail provider signs for this domain.',
          }
        : {
            reason: `The DKIM record of ${domain} is missing or wrong.`,
            advice: `Publish the DKIM record of ${domain}.`,
          }
    case 'NOT_ALIGNED':
      return {
        reason: `DKIM signs for ${domain}, which does not align with ${fromDomain}.`,
        advice: isStrict.dkim
          ? `Remove adkim=s from the DMARC record, or create a DKIM key for ${fromDomain}.`
          : `Create a DKIM key for ${fromDomain}.`,
      }
  }
}
