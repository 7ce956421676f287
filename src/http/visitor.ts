import type { Context } from 'koa'
import { clientAddress, isWithin } from '../platform/address-ranges.ts'
import { INVALID_REQUEST, defineError, ApiError } from '../platform/api-error.ts'
import type { CallingPerson } from './caller.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Caller } from './caller.ts'

/** Who is signed in, and what that account may do in the workspace that was asked for. */
export interface SignedIn {
  sessionId: string
  account: { id: string; email: string }
  /** `null` where none was asked for, or the account is no member of it. */
  membership: { workspace: Caller['workspace']; role: CallingPerson['role'] } | null
  rateLimit: RateLimit
}

/**
 * Finds the caller by an API key, and counts the request: in the window of the key, or of the address if no valid key is given.
 *
 * @param key as the request brings it; empty if there is none
 * @param address `null` if it is not known
 */
export type AuthenticateKey = (
  key: string,
  address: string | null,
) => Promise<{ rateLimit: RateLimit; caller: Caller | ApiError }>

/** Finds the session of a browser, and counts the request in its window. @returns `undefined` if there is none, or it has ended */
export type AuthenticateSession = (token: string, workspaceId: string | null) => Promise<SignedIn | undefined>

/** Where a request came from, whoever made it. */
export interface Visitor {
  /** By which the log has it. */
  requestId: string | null
  /** The client's, `null` where it is not known. */
  address: string | null
  userAgent: string | undefined
  /** What stands before the paths in the browser, such as `https://mail.example.com`. */
  origin: string
  /** What the browser was given when it left for another service to sign in by. */
  state: string | undefined
  /** Who is signed in there. */
  session: Pick<SignedIn, 'sessionId' | 'account'> | undefined
}

export const WRONG_ORIGIN = defineError(
  'forbidden',
  'wrong_origin',
  'This was asked for by a page of another site, and is not done',
)

/**
 * The forwarding headers are believed where a trusted proxy wrote them.
 * @param publicUrl where browsers reach the service, whatever a request says; `undefined`: as it says
 */
export function visitorOf(ctx: Context, trustedProxies: readonly string[], publicUrl: string | undefined): Visitor {
  const { remoteAddress } = ctx.req.socket
  const forwarded = ctx.req.headers['x-forwarded-for']
  const isProxied = remoteAddress !== undefined && isWithin(remoteAddress, trustedProxies)
  const protocol = isProxied && lastOf(ctx.get('X-Forwarded-Proto')) === 'https' ? 'https' : 'http'
  const given = `${protocol}://${(isProxied && lastOf(ctx.get('X-Forwarded-Host'))) || ctx.get('Host')}`
  // What a browser sends is one; who sends another thing is told so.
  if (publicUrl === undefined && !URL.canParse(given))
    throw new ApiError(INVALID_REQUEST, { message: 'The header Host is none' })
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

/** What the nearest proxy wrote. */
const lastOf = (header: string): string => header.split(',').at(-1)!.trim().toLowerCase()

/**
 * What signs in, or changes something for whoever is signed in, has to come from a page of this service: a browser says so of
 * each request that changes something, and no page can have it say otherwise (Fetch standard, section 3.2; W3C Fetch Metadata).
 *
 * @param isSignedIn whether the browser brings a session: what brings neither that nor an origin is no browser
 * @throws {ApiError} `wrong_origin`
 */
export function assertOwnOrigin(ctx: Context, { origin }: Visitor, isSignedIn: boolean): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return
  const site = ctx.get('Sec-Fetch-Site')
  const given = ctx.get('Origin')
  const isOwn = site ? site === 'same-origin' : given ? given.toLowerCase() === origin : !isSignedIn
  if (!isOwn) throw new ApiError(WRONG_ORIGIN)
}

/** A name that only a page over TLS, of this very host, can set (RFC 6265bis, section 4.1.3.2); and one for a machine of one's own. */
const nameOf = (origin: string): string => (origin.startsWith('https:') ? '__Host-dripline' : 'dripline')

/** The session's token that a browser brought. */
export const sessionTokenOf = (ctx: Context, { origin }: Visitor): string | undefined => ctx.cookies.get(nameOf(origin))

/** No script reads it, no other site has it sent, and it is sent over TLS where it was set so. @param token `null`: forget it */
export const sessionCookie = (visitor: Visitor, token: string | null): string =>
  cookie(visitor, '', token ?? '', token === null ? 0 : 90 * 86_400)

/** The same, of what a browser brings back from another service. */
export const stateCookie = (visitor: Visitor, state: string): string => cookie(visitor, '-state', state, 600)

function cookie({ origin }: Visitor, suffix: string, value: string, seconds: number): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${nameOf(origin)}${suffix}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}
