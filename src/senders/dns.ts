import { Resolver } from 'node:dns/promises'
import { domainOf } from '../platform/email-address.ts'
import type { SenderSettings } from './entities.ts'

/** What is asked of the DNS of a name; none where there is no such name. */
export interface Dns {
  /** Texts, whole. */
  texts(name: string): Promise<string[]>
  /** Who takes its mail, such as `10 mail.example.com`. */
  exchanges(name: string): Promise<string[]>
}

const TIMEOUT_MS = 3_000

/** @param servers which are asked, `address` or `address:port`; the system's where there are none */
export function createDns(servers: readonly string[] = []): Dns {
  const ask = async <Answer>(question: (resolver: Resolver) => Promise<Answer[]>): Promise<Answer[]> => {
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
    texts: async (name) => (await ask((resolver) => resolver.resolveTxt(name))).map((parts) => parts.join('')),
    exchanges: async (name) =>
      (await ask((resolver) => resolver.resolveMx(name))).map(({ priority, exchange }) => `${priority} ${exchange}`),
  }
}

/** A record that a sender's domain should have. */
export interface DnsRecord {
  what: 'SPF' | 'DKIM' | 'DMARC' | 'RETURN_PATH'
  name: string
  type: 'TXT' | 'MX'
  value: string
  /** What is for people to put in its place. */
  note: string | null
}

export interface CheckedRecord extends DnsRecord {
  /** MISSING: there is none; WRONG: there is another one; UNKNOWN: the DNS did not answer. */
  status: 'OK' | 'MISSING' | 'WRONG' | 'UNKNOWN'
  found: string[]
  /** What is wrong, in words. */
  problem: string | null
}

/**
 * The records that mail of a workspace wants (RFC 7208, RFC 6376, RFC 7489), ready to copy.
 * One without an address of its own has those of the return path alone: the rest is the instance's.
 *
 * @param returns to which domain what cannot be delivered goes back, and on which host that is read; `null`: to the sender's own
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
    // Receivers ask for the domain of the return path (RFC 7208, section 2.4).
    record(
      'SPF',
      returning,
      'v=spf1 include:YOUR-PROVIDER ~all',
      'In place of YOUR-PROVIDER, what whoever runs your mail server says.',
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
            'p=none only reports; p=quarantine and p=reject follow when the reports are sound.',
          ),
        ]),
    ...(returns === null
      ? []
      : [
          record(
            'RETURN_PATH',
            returns.domain,
            `10 ${returns.host}`,
            'In place of the host, the one whose port 25 leads to BOUNCE_PORT, where that is another one.',
          ),
        ]),
  ]
}

/** Asks the DNS whether the records are there. */
export function checkRecords(dns: Dns, records: readonly DnsRecord[]): Promise<CheckedRecord[]> {
  return Promise.all(
    records.map(async (record): Promise<CheckedRecord> => {
      let texts: string[]
      try {
        texts = record.type === 'MX' ? await dns.exchanges(record.name) : await dns.texts(record.name)
      } catch (error) {
        const { code = 'no answer' } = error as NodeJS.ErrnoException
        return { ...record, status: 'UNKNOWN', found: [], problem: `The DNS did not answer: ${code}` }
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
    return found.every((text) => /^\d+ \.?$/.test(text)) ? 'It says that this domain takes no mail (RFC 7505)' : null
  if (found.length > 1) return `There are ${found.length} of them, and receivers take none then: leave one`
  const [text = ''] = found
  switch (what) {
    case 'SPF':
      if (/\s\+?all(?: |$)/i.test(text)) return 'It lets everybody send for this domain: end it with ~all or -all'
      return /YOUR-PROVIDER/i.test(text)
        ? 'It names nobody: put what your provider says in place of YOUR-PROVIDER'
        : null
    case 'DKIM':
      return tagOf(text, 'p') === tagOf(value, 'p') ? null : 'It has another key than the one that mail is signed with'
    case 'DMARC':
      return /^(?:none|quarantine|reject)$/i.test(tagOf(text, 'p'))
        ? null
        : 'Its p has to be none, quarantine or reject'
  }
}

const tagOf = (text: string, tag: string): string =>
  new RegExp(`(?:^|;)\\s*${tag}=([^;]*)`, 'i').exec(text)?.[1]?.replace(/\s/g, '') ?? ''
