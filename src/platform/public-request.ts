import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Maximum time of a request, from the connection to the last byte, in milliseconds. */
const TIMEOUT_MS = 10_000
/** Maximum size of a response that is read. */
const MAX_RESPONSE_BYTES = 64 * 1024

export interface PublicRequest {
  url: string
  method: string
  headers: Record<string, string>
  /** `null` for none. */
  body: string | null
}

export type PublicResponse =
  /** `text` is the body; `null` if it is larger than the limit. */
  | { status: number; text: string | null }
  /** No response. The text has no data of the request. `isPermanent` if another attempt would fail, too. */
  | { problem: string; isPermanent: boolean }

/** Addresses that are not on the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry and ipv6. */
const SPECIAL = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  SPECIAL.addSubnet(network, prefix, 'ipv4')
/** Only 2000::/3 is assigned to the internet. These parts of it are not, or embed IPv4 addresses. */
const PUBLIC_IPV6 = new BlockList()
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  SPECIAL.addSubnet(network, prefix, 'ipv6')

/** Whether an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  if (family === 4) return !SPECIAL.check(address, 'ipv4')
  return PUBLIC_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6')
}

/** An error of ours, whose text may be shown. */
class Refused extends Error {}

/**
 * Sends an HTTP request to a server on the public internet. The address is checked when the connection is made, so that a name
 * cannot resolve to another one after a check. Redirects are not followed.
 *
 * @param allowedHosts names and addresses that may be private
 */
export function requestPublic(
  { url, method, headers, body }: PublicRequest,
  allowedHosts: readonly string[],
): Promise<PublicResponse> {
  const target = new URL(url)
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const mayBePrivate = allowedHosts.includes(host)
  if (isIP(host) !== 0 && !mayBePrivate && !isPublicAddress(host))
    return Promise.resolve({ problem: 'The address is in a private network', isPermanent: true })
  const { request } = target.protocol === 'https:' ? https : http
  return new Promise((resolve) => {
    const outgoing = request(target, {
      method,
      headers: { ...headers, ...(body !== null && { 'Content-Length': Buffer.byteLength(body) }) },
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(!mayBePrivate && { lookup: lookupPublic }),
    })
    outgoing.on('error', (error) => {
      const refused = error instanceof Refused
      resolve({ problem: refused ? error.message : problemOf(error), isPermanent: refused })
    })
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      const answer = (text: string | null) => resolve({ status: response.statusCode ?? 0, text })
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= MAX_RESPONSE_BYTES) return void chunks.push(chunk)
        answer(null)
        response.destroy()
      })
      response.on('end', () => answer(Buffer.concat(chunks).toString()))
      response.on('error', (error) => resolve({ problem: problemOf(error), isPermanent: false }))
    })
    outgoing.end(body ?? undefined)
  })
}

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, '', 0)
    const [first] = addresses
    if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new Refused('The name resolves to a private address'), '', 0)
    if (options.all) return (callback as unknown as (error: null, addresses: LookupAddress[]) => void)(null, addresses)
    callback(null, first.address, first.family)
  })
}

const problemOf = (error: Error): string => {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `No response within ${TIMEOUT_MS / 1000} s`
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? `The connection failed: ${code}` : 'The connection failed'
}
