import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Maximum time of a request, from the connection to the last byte, in milliseconds. */
const TIMEOUT_MS = 10_000
/** Maximum size of a response that is read. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** Bytes of a response of which only the beginning is kept. */
const BEGINNING_BYTES = 1024

export interface PublicRequest {
  url: string
  method: string
  headers: Record<string, string>
  /** `null` for none. */
  body: string | null
  /** Whether the body of the response is read. If not, its status is enough. `beginning`: only its first kilobyte is kept. */
  readsBody: boolean | 'beginning'
}

/** No response. The text has no data of the request. `isPermanent` if another attempt would fail, too. */
type NoResponse = { problem: string; isPermanent: boolean }

export type PublicResponse =
  /** `text` is the body; `null` if it is larger than the limit or not read. */
  { status: number; retryAfter: string | null; text: string | null } | NoResponse

export type PublicFile =
  /** `body` is `null` if it is larger than the limit. `location` is where a redirect leads. */
  { status: number; location: string | null; body: Buffer | null } | NoResponse

export interface PublicRequestOptions {
  /** Names and addresses that may be private, as `hostOf` returns them. */
  allowedHosts: readonly string[]
  /** Resolves names: `dns.lookup` by default. */
  resolveName?: typeof dnsLookup
  timeoutMs?: number
  /** Keep connections open for the next request. Their address was checked when they were made. */
  agents?: { http: http.Agent; https: https.Agent }
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

/** Returns whether a URL can be requested: by HTTP or HTTPS, without a user name. */
export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Returns whether the host of a URL is a private address, in any spelling. A name is checked when it is resolved. */
function isPrivateUrl(url: string, allowedHosts: readonly string[]): boolean {
  const host = hostOf(url) ?? ''
  return isIP(host) !== 0 && !allowedHosts.includes(host) && !isPublicAddress(host)
}

/** Returns whether a URL could never be requested, so that it is rejected when it is saved. `localhost` needs no resolver. */
export function isNeverPublic(url: string, allowedHosts: readonly string[]): boolean {
  const host = hostOf(url) ?? ''
  return isPrivateUrl(url, allowedHosts) || (/(?:^|\.)localhost$/i.test(host) && !allowedHosts.includes(host))
}

/** An error of ours, whose text may be shown. */
class Refused extends Error {}

/**
 * Sends an HTTP request to a server on the public internet. The address is checked when the connection is made, so that a name
 * cannot resolve to another one after a check. Redirects are not followed.
 */
export async function requestPublic(request: PublicRequest, options: PublicRequestOptions): Promise<PublicResponse> {
  const response = await requestBytes(request, MAX_RESPONSE_BYTES, options)
  if ('problem' in response) return response
  const { status, retryAfter, body } = response
  return { status, retryAfter, text: body?.toString() ?? null }
}

/** Downloads a file from a server on the public internet, as {@link requestPublic} does. */
export const downloadPublic = (url: string, maxBytes: number, options: PublicRequestOptions): Promise<PublicFile> =>
  requestBytes(
    { url, method: 'GET', headers: { 'User-Agent': 'Dripline' }, body: null, readsBody: true },
    maxBytes,
    options,
  )

type Response = { status: number; retryAfter: string | null; location: string | null; body: Buffer | null } | NoResponse

function requestBytes(
  { url, method, headers, body, readsBody }: PublicRequest,
  maxBytes: number,
  { allowedHosts, resolveName = dnsLookup, timeoutMs = TIMEOUT_MS, agents }: PublicRequestOptions,
): Promise<Response> {
  const mayBePrivate = allowedHosts.includes(hostOf(url) ?? '')
  if (isPrivateUrl(url, allowedHosts))
    return Promise.resolve({ problem: 'The address is in a private network', isPermanent: true })
  const isTls = /^https:/i.test(url)
  const { request } = isTls ? https : http
  const signal = AbortSignal.timeout(timeoutMs)
  const send = (resolve: (response: Response) => void, agent: http.Agent | false) => {
    const fail = (error: Error) =>
      resolve(
        error instanceof Refused
          ? { problem: error.message, isPermanent: true }
          : {
              problem: signal.aborted ? `No response within ${Math.round(timeoutMs / 100) / 10} s` : problemOf(error),
              isPermanent: false,
            },
      )
    const outgoing = request(url, {
      method,
      headers: { ...headers, ...(body !== null && { 'Content-Length': Buffer.byteLength(body) }) },
      agent,
      signal,
      lookup: mayBePrivate ? resolveName : lookupPublic(resolveName),
    })
    outgoing.on('error', (error) => {
      // The server closed an idle connection as the request was sent on it.
      if (outgoing.reusedSocket && !signal.aborted && /^(ECONNRESET|EPIPE)$/.test(codeOf(error))) send(resolve, false)
      else fail(error)
    })
    outgoing.on('response', (response) => {
      const { statusCode: status = 0 } = response
      const { 'retry-after': retryAfter = null, location = null } = response.headers
      const done = (body: Buffer | null) => resolve({ status, retryAfter, location, body })
      if (readsBody === 'beginning') return readBeginning(response, done)
      response.on('error', fail)
      if (readsBody) return readAll(response, maxBytes, done)
      done(null)
      response.destroy()
    })
    // Such as after a request of the server to switch the protocol.
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(new Error())
    })
    outgoing.end(body ?? undefined)
  }
  return new Promise((resolve) => send(resolve, (isTls ? agents?.https : agents?.http) ?? false))
}

/**
 * Keeps the beginning of a body, and reads the rest of a small one, so that the connection can be used again. A body that ends
 * early does not matter, because the status has arrived.
 */
function readBeginning(response: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  const finish = () => done(Buffer.concat(chunks).subarray(0, BEGINNING_BYTES))
  response.on('data', (chunk: Buffer) => {
    if (size < BEGINNING_BYTES) chunks.push(chunk)
    size += chunk.length
    if (size <= MAX_RESPONSE_BYTES) return
    finish()
    response.destroy()
  })
  response.on('end', finish)
  response.on('error', finish)
}

function readAll(response: IncomingMessage, maxBytes: number, done: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBytes) return void chunks.push(chunk)
    done(null)
    response.destroy()
  })
  response.on('end', () => done(Buffer.concat(chunks)))
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

const codeOf = (error: Error): string => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Describes an error without data of the request: by its code. */
const problemOf = (error: Error): string => {
  const code = codeOf(error)
  if (code === '') return 'The connection failed'
  if (code.startsWith('HPE_')) return `The response is not valid HTTP: ${code}`
  if (/CERT|SIGNATURE|^ERR_TLS/.test(code)) return `The TLS certificate is not valid: ${code}`
  return `The connection failed: ${code}`
}
