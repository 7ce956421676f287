import { Resolver } from 'node:dns/promises'

/** DNS lookups. `texts`, `exchanges`, `addresses` and `hosts` return no records if there are none. */
export interface Dns {
  /** TXT records, with their parts joined. */
  texts(name: string): Promise<string[]>
  /** MX records, such as `10 mail.example.com`. */
  exchanges(name: string): Promise<string[]>
  /** IPv4 and IPv6 addresses of a host. */
  addresses(name: string): Promise<string[]>
  /** Names of an address (PTR). */
  hosts(address: string): Promise<string[]>
  /** Records as `node:dns` returns them. @throws {NodeJS.ErrnoException} `ENOTFOUND` or `ENODATA` if there are none */
  resolve: (name: string, type: string) => Promise<string[] | string[][]>
}

const TIMEOUT_MS = 3_000

/** Checks whether a lookup failed because there is no such record. */
const isNoRecord = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Creates a resolver. @param servers `address` or `address:port`; defaults to those of the system */
export function createDns(servers: readonly string[] = []): Dns {
  const open = () => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    return resolver
  }
  const orNone = async <Answer>(answers: Promise<Answer[]>): Promise<Answer[]> => {
    try {
      return await answers
    } catch (error) {
      if (isNoRecord(error)) return []
      throw error
    }
  }
  return {
    texts: async (name) => (await orNone(open().resolveTxt(name))).map((parts) => parts.join('')),
    exchanges: async (name) =>
      (await orNone(open().resolveMx(name))).map(({ priority, exchange }) => `${priority} ${exchange}`),
    addresses: async (name) =>
      (await Promise.all([orNone(open().resolve4(name)), orNone(open().resolve6(name))])).flat(),
    hosts: (address) => orNone(open().reverse(address)),
    resolve: (name, type) => open().resolve(name, type) as Promise<string[] | string[][]>,
  }
}
