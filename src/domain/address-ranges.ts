import { BlockList, isIPv4, isIPv6 } from 'node:net'

type Family = 'ipv4' | 'ipv6'

/** An IPv4 address that a dual-stack socket shows as IPv6 (RFC 4291, section 2.5.5.2) is the IPv4 address. */
const unmap = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address

const familyOf = (address: string): Family | undefined =>
  isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined

function parse(range: string): { address: string; prefix: number; family: Family } | undefined {
  const [address = '', prefixText, ...rest] = range.split('/')
  const family = familyOf(address)
  if (!family || rest.length > 0) return undefined
  const bits = family === 'ipv4' ? 32 : 128
  if (prefixText === undefined) return { address, prefix: bits, family }
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Infinity
  return prefix <= bits ? { address, prefix, family } : undefined
}

/** Whether a text is an IP address or a CIDR range, such as `203.0.113.7`, `10.0.0.0/8` or `2001:db8::/32`. */
export const isAddressRange = (text: string): boolean => parse(text) !== undefined

/** Whether an address lies in one of the ranges. No ranges are no restriction. */
export function isAllowedAddress(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true
  const client = unmap(address)
  const family = familyOf(client)
  if (!family) return false
  const allowed = new BlockList()
  for (const range of ranges) {
    const parsed = parse(range)
    if (parsed) allowed.addSubnet(parsed.address, parsed.prefix, parsed.family)
  }
  return allowed.check(client, family)
}
