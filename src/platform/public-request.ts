import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
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
  /** Whether the body of the response is read. If not, its status is enough. */
  readsBody: boolean
}

export type PublicResponse =
  /** `text` is the body; `null` if it is larger than the limit or not read. */
  | { status: number; retryAfter: string | null; text: string | null }
  /** No response. The text has no data of the request. `isPermanent` if another attempt would fail, too. */
  | { problem: string; isPermanent: boolean }

export interface PublicRequestOptions {
  /** Names and addresses that may be private, as `hostOf` returns them. */
  allowedHosts: readonly string[]
  /** Resolves names: `dns.lookup` by default. */
  resolveName?: typeof dnsLookup
  timeoutMs?: number
}

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

/** The host of a URL as it is compared: without brackets and without the dot at the end. @returns `undefined` if it has none */
export const hostOf = (url: string): string | undefined =>
  URL.parse(url)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

/** Reads a host of the configuration: a name, or an address with or without brackets. @returns `undefined` if it is neither */
export function readHost(text: string): string | undefined {
  if (isIP(text) !== 6 && /[/?#@\\:]/.test(text.replace(/^\[.*\]$/, ''))) return undefined
  return hostOf(`http://${isIP(text) === 6 ? `[${text}]` : text}`)
}

/** An error of ours, whose text may be shown. */
class Refused extends Error {}

/**
 * Sends an HTTP request to a server on the public internet. The address is checked when the connection is made, so that a name
 * cannot resolve to another one after a check. Redirects are not followed.
 */
export function requestPublic(
  { url, method, headers, body, readsBody }: PublicRequest,
  { allowedHosts, resolveName = dnsLookup, timeoutMs = TIMEOUT_MS }: PublicRequestOptions,
): Promise<PublicResponse> {
  const host = hostOf(url) ?? ''
  const mayBePrivate = allowedHosts.includes(host)
  if (isIP(host) !== 0 && !mayBePrivate && !isPublicAddress(host))
    return Promise.resolve({ problem: 'The address is in a private network', isPermanent: true })
  const { request } = url.startsWith('https:') ? https : http
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    const fail = (error: Error) =>
      resolve(
        error instanceof Refused
          ? { problem: error.message, isPermanent: true }
          : {
              problem: signal.aborted ? `No response within ${timeoutMs / 1000} s` : problemOf(error),
              isPermanent: false,
            },
      )
    const outgoing = request(url, {
      method,
      headers: { ...headers, ...(body !== null && { 'Content-Length': Buffer.byteLength(body) }) },
      agent: false,
      signal,
      lookup: mayBePrivate ? resolveName : lookupPublic(resolveName),
    })
    outgoing.on('error', fail)
    outgoing.on('response', (response) => {
      const { statusCode: status = 0 } = response
      const retryAfter = response.headers['retry-after'] ?? null
      response.on('error', fail)
      if (readsBody) return readText(response, (text) => resolve({ status, retryAfter, text }))
      resolve({ status, retryAfter, text: null })
      response.destroy()
    })
    // Such as after a request of the server to switch the protocol.
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(new Error())
    })
    outgoing.end(body ?? undefined)
  })
}

function readText(response: IncomingMessage, done: (text: string | null) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_RESPONSE_BYTES) return void chunks.push(chunk)
    done(null)
    response.destroy()
  })
  response.on('end', () => done(Buffer.concat(chunks).toString()))
}

const lookupPublic =
  (resolveName: typeof dnsLookup): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new Refused('The name resolves to a private address'), '', 0)
      if (options.all)
        return (callback as unknown as (error: null, addresses: LookupAddress[]) => void)(null, addresses)
      callback(null, first.address, first.family)
    })
  }

/** Describes an error without data of the request: by its code. */
const problemOf = (error: Error): string => {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return 'The connection failed'
  if (code.startsWith('HPE_')) return `The response is not valid HTTP: ${code}`
  if (/CERT|SIGNATURE|^ERR_TLS/.test(code)) return `The TLS certificate is not valid: ${code}`
  return `The connection failed: ${code}`
}
