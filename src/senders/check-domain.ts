import type { Dns } from '../platform/dns.ts'
import { dkimRecord, type DkimKeys, type DnsRecord } from './dns-records.ts'
import { isFreeMail } from './free-mail.ts'
import { checkDkim } from './check-dkim.ts'
import { checkDmarc, type Domains, type PublishedPolicy } from './check-dmarc.ts'
import { checkSpf } from './check-spf.ts'
import { type DnsZone, findDnsZone } from './dns-zone.ts'
import { type DmarcVerdict, describeVerdict, type Mechanism } from './describe-verdict.ts'
import { type CheckedRecord, type Finding, orUnknown, shortened } from './finding.ts'

interface SenderWarning {
  code: 'free_mail_domain' | 'mx_missing' | 'null_mx'
  message: string
}

export interface DomainCheck {
  records: CheckedRecord[]
  dmarc: DmarcVerdict | null
  warnings: SenderWarning[]
  /** The zone of the From domain. */
  zone: DnsZone | null
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
  const [spfFound, dkimFound, published, warnings, zone] = await Promise.all([
    returnDomain === undefined ? undefined : checkSpf(dns, returnDomain),
    signing && checkDkim(dns, dkimRecord(signing)),
    domains && checkDmarc(dns, domains),
    fromDomain === undefined ? [] : warningsOf(dns, fromDomain),
    fromDomain === undefined ? null : findDnsZone(dns, fromDomain),
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
    zone,
  }
}

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
