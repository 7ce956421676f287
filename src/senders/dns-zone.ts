import type { Dns } from '../platform/dns.ts'

/** The zone in which the records of a domain are published. */
export interface DnsZone {
  name: string
  nameServers: string[]
}

/** The number of names to look up. A zone is rarely more labels above a sender. */
const MAX_NAMES = 5

/** Finds the nearest parent of a domain, or the domain itself, that has name servers. @returns `null` if none is found */
export async function findDnsZone(dns: Dns, domain: string): Promise<DnsZone | null> {
  const labels = domain.split('.')
  const names = labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'))
  for (const name of names.slice(0, MAX_NAMES)) {
    // The zone is only a hint, so lookups may fail.
    const found = (await dns.resolve(name, 'NS').catch(() => [])) as string[]
    if (found.length > 0) return { name, nameServers: found.map((each) => each.toLowerCase()).toSorted() }
  }
  return null
}
