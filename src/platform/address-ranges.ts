import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Parses an address in its full form. Node decides what is valid, because ipaddr.js also accepts `010.0.0.1`, `10.1` and
 * `167772161`. An IPv4 address that a dual-stack socket shows as IPv6 (RFC 4291, section 2.5.5.2) is the IPv4 address.
 */
const parseAddress = (text: string): Address | undefined =>
  isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text)

function parseRange(text: string): [Address, number] | undefined {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const address = parseAddress(addressText)
  // A range of IPv4-mapped IPv6 addresses would never match, because such addresses are compared as IPv4.
  if (!address || rest.length > 0 || (address.kind() === 'ipv4' && addressText.includes(':'))) return undefined
  const bits = address.kind() === 'ipv4' ? 32 : 128
  if (prefixText === undefined) return [address, bits]
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Infinity
  return prefix <= bits ? [address, prefix] : undefined
}

/**
 * Returns whether a text is an IP address or a CIDR range, such as `203.0.113.7`, `10.0.0.0/8` or `2001:db8::/32`. A range whose
 * address has bits beyond its prefix (`10.0.0.5/8`) is invalid, because it is unclear which part is wrong.
 */
export function isAddressRange(text: string): boolean {
  const range = parseRange(text)
  if (!range) return false
  const [address, prefix] = range
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return kind.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString() === address.toString()
}

/**
 * Finds the address of a client behind proxies: in the chain that the proxies wrote (`X-Forwarded-For`), read from its end, the
 * first address that is not a trusted proxy. A client can forge everything before it.
 *
 * @param socket the address at the other end of the connection
 * @param forwarded the header `X-Forwarded-For`, if any
 * @returns `null` if the address is unknown
 */
export function clientAddress(
  socket: string | undefined,
  forwarded: string | undefined,
  trustedProxies: readonly string[],
): string | null {
  const isTrusted = among(trustedProxies)
  let client = parseAddress(socket ?? '')
  const chain = forwarded === undefined ? [] : forwarded.split(',')
  while (client && chain.length > 0 && isTrusted(client)) {
    const next = parseAddress((chain.pop() ?? '').trim())
    // A trusted proxy wrote something that is not an address: use the proxy itself.
    if (!next) break
    client = next
  }
  return client?.toString() ?? null
}

export function isWithin(address: string, ranges: readonly string[]): boolean {
  const parsed = parseAddress(address)
  return parsed !== undefined && among(ranges)(parsed)
}

function among(ranges: readonly string[]): (address: Address) => boolean {
  const parsed = ranges.flatMap((range) => {
    const one = parseRange(range)
    return one ? [one] : []
  })
  return (address) =>
    parsed.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
}

/**
 * The network of one customer: an IPv4 address, or the first 64 bits of an IPv6 address, because a customer gets a whole /64 (RFC
 * 6177).
 */
export const networkOf = (address: string): string => firstOf(address, 4)

/** The networks of one site: an IPv4 address, or the first 48 bits of an IPv6 address. */
export const siteOf = (address: string): string => firstOf(address, 3)

/** Keeps the first parts of the eight parts of an IPv6 address. */
function firstOf(address: string, parts: number): string {
  const parsed = parseAddress(address)
  return parsed?.kind() === 'ipv6' ? (parsed as ipaddr.IPv6).parts.slice(0, parts).join(':') : address
}
