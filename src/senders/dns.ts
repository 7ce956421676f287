import { Resolver } from 'node:dns/promises'
import { domainOf } from '../platform/email-address.ts'
import type { SenderSettings } from './entities.ts'

/** DNS lookups. Return no records if the name does not exist. */
export interface Dns {
  /** TXT records, with their parts joined. */
  texts(name: string): Promise<string[]>
  /** MX records, such as `10 mail.example.com`. */
  exchanges(name: string): Promise<string[]>
}

const TIMEOUT_MS = 3_000

/** Creates a resolver. @param servers `address` or `address:port`; defaults to those of the system */
export function createDns(servers: readonly string[] = []): Dns {
  const query = async <Answer>(question: (resolver: Resolver) => Promise<Answer[]>): Promise<Answer[]> => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    try {
      return await question(resolver)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      throw error
    }
  }
  return {
    texts: async (name) => (await query((resolver) => resolver.resolveTxt(name))).map((parts) => parts.join('')),
    exchanges: async (name) =>
      (await query((resolver) => resolver.resolveMx(name))).map(({ priority, exchange }) => `${priority} ${exchange}`),
  }
}

/** A record that a sender's domain should have. */
export interface DnsRecord {
  what: 'SPF' | 'DKIM' | 'DMARC' | 'RETURN_PATH'
  name: string
  type: 'TXT' | 'MX'
  value: string
  /** Hint for the operator on how to adapt the value. */
  note: string | null
}

export interface CheckedRecord extends DnsRecord {
  /** MISSING: there is no such record; WRONG: there is a different one; UNKNOWN: the lookup failed. */
  status: 'OK' | 'MISSING' | 'WRONG' | 'UNKNOWN'
  found: string[]
  /** Description of the error. */
  problem: string | null
}

/**
 * Lists the DNS records that a workspace's sender requires (RFC 7208, RFC 6376, RFC 7489). A workspace without its own address
 * requires only those of the return path, because it uses the instance's sender.
 *
 * @param returns domain of return paths and the host that receives them, or `null` if bounces go to the sender's address
 */
export function recordsFor(
  {
    fromAddress,
    dkimDomain,
    dkimSelector,
    dkimPublic,
  }: Partial<Pick<SenderSettings, 'fromAddress' | 'dkimDomain' | 'dkimSelector' | 'dkimPublic'>>,
  returns: { domain: string; host: string } | null,
): DnsRecord[] {
  const domain = fromAddress == null ? undefined : domainOf(fromAddress)
  const returning = returns?.domain ?? domain
  if (returning === undefined) return []
  const record = (what: DnsRecord['what'], name: string, value: string, note: string | null = null): DnsRecord => ({
    what,
    name,
    type: what === 'RETURN_PATH' ? 'MX' : 'TXT',
    value,
    note,
  })
  return [
    // Receivers check the domain of the return path (RFC 7208, section 2.4).
    record(
      'SPF',
      returning,
      'v=spf1 include:YOUR-PROVIDER ~all',
      'Replace YOUR-PROVIDER with the value that your mail provider documents.',
    ),
    ...(domain === undefined || dkimPublic == null
      ? []
      : [record('DKIM', `${dkimSelector}._domainkey.${dkimDomain}`, `v=DKIM1; k=rsa; p=${dkimPublic}`)]),
    ...(domain === undefined
      ? []
      : [
          record(
            'DMARC',
            `_dmarc.${domain}`,
            `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
            'p=none only reports. Change it to p=quarantine or p=reject once the reports look right.',
          ),
        ]),
    ...(returns === null
      ? []
      : [
          record(
            'RETURN_PATH',
            returns.domain,
            `10 ${returns.host}`,
            'Replace the host if port 25 of a different host forwards to BOUNCE_PORT.',
          ),
        ]),
  ]
}

/** Checks the DNS records. */
export function checkRecords(dns: Dns, records: readonly DnsRecord[]): Promise<CheckedRecord[]> {
  return Promise.all(
    records.map(async (record): Promise<CheckedRecord> => {
      let texts: string[]
      try {
        texts = record.type === 'MX' ? await dns.exchanges(record.name) : await dns.texts(record.name)
      } catch (error) {
        const { code = 'no answer' } = error as NodeJS.ErrnoException
        return { ...record, status: 'UNKNOWN', found: [], problem: `The DNS lookup failed: ${code}` }
      }
      const found = texts.filter((text) => isOfKind(record, text))
      const problem = found.length === 0 ? null : problemOf(record, found)
      const status = found.length === 0 ? 'MISSING' : problem === null ? 'OK' : 'WRONG'
      return { ...record, status, found: found.slice(0, 5).map((text) => text.slice(0, 1_000)), problem }
    }),
  )
}

const isOfKind = ({ what }: DnsRecord, text: string): boolean =>
  what === 'RETURN_PATH' ||
  (what === 'SPF'
    ? /^v=spf1(?: |$)/i.test(text)
    : what === 'DMARC'
      ? /^v=DMARC1/i.test(text)
      : /(?:^|;)\s*p=/i.test(text))

function problemOf({ what, value }: DnsRecord, found: string[]): string | null {
  if (what === 'RETURN_PATH')
    return found.every((text) => /^\d+ \.?$/.test(text))
      ? 'The record declares that this domain accepts no mail (RFC 7505)'
      : null
  if (found.length > 1) return `There are ${found.length} such records, so receivers ignore all of them. Keep only one.`
  const [text = ''] = found
  switch (what) {
    case 'SPF':
      if (/\s\+?all(?: |$)/i.test(text))
        return 'The record allows every host to send for this domain. End it with ~all or -all.'
      return /YOUR-PROVIDER/i.test(text)
        ? 'The record names no sender. Replace YOUR-PROVIDER with the value that your mail provider documents.'
        : null
    case 'DKIM':
      return tagOf(text, 'p') === tagOf(value, 'p')
        ? null
        : 'The record has a different key from the one that signs the mail'
    case 'DMARC':
      return /^(?:none|quarantine|reject)$/i.test(tagOf(text, 'p')) ? null : 'p must be none, quarantine or reject'
  }
}

const tagOf = (text: string, tag: string): string =>
  new RegExp(`(?:^|;)\\s*${tag}=([^;]*)`, 'i').exec(text)?.[1]?.replace(/\s/g, '') ?? ''
