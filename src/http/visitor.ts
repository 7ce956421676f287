import type { Context } from 'koa'
import { clientAddress, isWithin } from '../platform/address-ranges.ts'
import { INVALID_REQUEST, defineError, ApiError } from '../platform/api-error.ts'
import type { CallingPerson } from './caller.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Caller } from './caller.ts'

/** A person who is signed in, with their role in the requested workspace. */
export interface SignedIn {
  sessionId: string
  account: { id: string; email: string }
  /** `null` if the request names no workspace, or the account is not a member of it. */
  membership: { workspace: Caller['workspace']; role: CallingPerson['role'] } | null
  rateLimit: RateLimit
}

/**
 * Finds the caller by an API key, and counts the request: in the window of the key, or of the address if no valid key is given.
 *
 * @param key as sent in the request; empty if there is none @param address `null` if it is unknown
 */
export type AuthenticateKey = (
  key: string,
  address: string | null,
) => Promise<{ rateLimit: RateLimit; caller: Caller | ApiError }>

/** Finds the session of a browser, and counts the request in its window. @returns `undefined` if there is none, or it has ended */
export type AuthenticateSession = (token: string, workspaceId: string | null) => Promise<SignedIn | undefined>

/** The origin of a request. */
export interface Visitor {
  /** The ID of the request in the log. */
  requestId: string | null
  /** The address of the client; `null` if it is unknown. */
  address: string | null
  userAgent: string | undefined
  /** The origin of the service in the browser, such as `https://mail.example.com`. */
  origin: string
  /** The state that the browser was given when it was redirected to the single sign-on provider. */
  state: string | undefined
  /** The session of the person who is signed in. */
  session: Pick<SignedIn, 'sessionId' | 'account'> | undefined
}

export const WRONG_ORIGIN = defineError(
  'forbidden',
  'wrong_origin',
  'The request comes from a page of another site and was rejected',
)

/**
 * Reads the origin of a request. Forwarding headers are trusted if a trusted proxy wrote them. @param publicUrl the public URL of
 * the service; `undefined` to take it from the request
 */
export function visitorOf(ctx: Context, trustedProxies: readonly string[], publicUrl: string | undefined): Visitor {
  const { remoteAddress } = ctx.req.socket
  const forwarded = ctx.req.headers['x-forwarded-for']
  const isProxied = remoteAddress !== undefined && isWithin(remoteAddress, trustedProxies)
  const protocol = isProxied && lastOf(ctx.get('X-Forwarded-Proto')) === 'https' ? 'https' : 'http'
  const given = `${protocol}://${(isProxied && lastOf(ctx.get('X-Forwarded-Host'))) || ctx.get('Host')}`
  // Browsers send a valid Host header. Other clients get an error.
  if (publicUrl === undefined && !URL.canParse(given))
    throw new ApiError(INVALID_REQUEST, { message: 'The header Host is invalid' })
  const origin = publicUrl === undefined ? given : new URL(publicUrl).origin
  return {
    requestId: (ctx.state as { requestId?: string }).requestId ?? null,
    address: clientAddress(remoteAddress, [forwarded].flat().join(',') || undefined, trustedProxies),
    userAgent: ctx.get('User-Agent') || undefined,
    origin,
    state: ctx.cookies.get(`${nameOf(origin)}-state`),
    session: undefined,
  }
}

/** The value written by the nearest proxy. */
const lastOf = (header: string): string => header.split(',').at(-1)!.trim().toLowerCase()

/**
 * Requires that sign-ins and changes with a session come from a page of this service. Browsers send the origin with each such
 * request, and pages cannot change it (Fetch standard, section 3.2; W3C Fetch Metadata).
 *
 * @param isSignedIn whether the request has a session: a request with neither a session nor an origin is not from a browser
 * @throws {ApiError} `wrong_origin`
 */
export function assertOwnOrigin(ctx: Context, { origin }: Visitor, isSignedIn: boolean): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return
  const site = ctx.get('Sec-Fetch-Site')
  const given = ctx.get('Origin')
  const isOwn = site ? site === 'same-origin' : given ? given.toLowerCase() === origin : !isSignedIn
  if (!isOwn) throw new ApiError(WRONG_ORIGIN)
}

/**
 * The `__Host-` prefix can be set only over TLS and only by this exact host (RFC 6265bis, section 4.1.3.2). Local development has
 * no TLS.
 */
const nameOf = (origin: string): string => (origin.startsWith('https:') ? '__Host-dripline' : 'dripline')

/** The session token in a browser's cookie. */
export const sessionTokenOf = (ctx: Context, { origin }: Visitor): string | undefined => ctx.cookies.get(nameOf(origin))

/**
 * Builds the session cookie. Scripts cannot read it, other sites cannot send it, and a secure one is sent only over TLS.
 * @param token `null` to delete the cookie
 */
export const sessionCookie = (visitor: Visitor, token: string | null): string =>
  cookie(visitor, '', token ?? '', token === null ? 0 : 90 * 86_400)

/** Builds the cookie of a sign-in at the single sign-on provider. */
export const stateCookie = (visitor: Visitor, state: string): string => cookie(visitor, '-state', state, 600)

function cookie({ origin }: Visitor, suffix: string, value: string, seconds: number): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${nameOf(origin)}${suffix}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}
