import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bytesOfId, idOfBytes } from '../platform/ids.ts'
import { returnPathOf } from './return-path.ts'
import { signVisit, type VisitKind } from './visit-links.ts'

/** Whom a link in an email is of, and what it was sent for: an enrollment, a campaign, or what she is asked to confirm. */
export interface LinkOf {
  contactId: string
  originId: string
}

/** What a link is for. It is part of what is signed: one is never taken for another. */
export type LinkKind = 'unsubscribe' | 'confirm'

const ID_BYTES = 16
/** Half of what the hash has, which is as many as nobody guesses (RFC 2104, section 5). */
const MAC_BYTES = 16
const VERSION = 1
const LENGTH = 1 + 2 * ID_BYTES + MAC_BYTES

/**
 * Signed tokens for links in emails: they need no login and no row of their own, never end, and tell nothing but ids to whoever
 * takes them apart. They are good as long as the instance keeps its secret, which backups have.
 */
export interface Links {
  /** An address that whoever reads the email can open. */
  url(kind: LinkKind, of: LinkOf): string
  /** Where what cannot be delivered of a message goes back to; `undefined` where nobody reads that. */
  returnPath(of: { contactId: string; messageId: string }): string | undefined
  /** An address that tells of a visit, and leads on; `undefined` where there can be none. */
  visit(kind: VisitKind, of: { contactId: string; messageId: string; url: string; links: number }): string | undefined
  /** Where browsers reach the service, without a slash at its end. */
  readonly publicUrl: string
}

/** Short, as they stand in every email. */
export const VISIT_PATHS = { open: 'o', click: 'c' } as const satisfies Record<VisitKind, string>

/** @param bounceDomain whose mail this instance reads; `null`: none */
export function createLinks(secret: KeyObject, publicUrl: string, bounceDomain: string | null = null): Links {
  const base = publicUrl.replace(/\/+$/, '')
  return {
    publicUrl: base,
    url: (kind, of) => `${base}/${kind}/${signLink(secret, kind, of)}`,
    visit(kind, of) {
      const token = signVisit(secret, kind, of)
      return token === undefined ? undefined : `${base}/${VISIT_PATHS[kind]}/${token}`
    },
    returnPath: (of) => (bounceDomain === null ? undefined : returnPathOf(secret, bounceDomain, of)),
  }
}

/** @returns 66 characters of the URL-safe alphabet (RFC 4648, section 5) */
export function signLink(secret: KeyObject, kind: LinkKind, { contactId, originId }: LinkOf): string {
  const told = Buffer.concat([Uint8Array.of(VERSION), bytesOfId(contactId), bytesOfId(originId)])
  return Buffer.concat([told, macOf(secret, kind, told)]).toString('base64url')
}

/**
 * Takes the links of a contact out of what was said to her: who reads that there does nothing in her name. Wherever they stand, and
 * whatever is around them: a token begins with what it is of.
 */
export function withoutLinks(said: string, contactId: string): string {
  const begins = Buffer.concat([Uint8Array.of(VERSION), bytesOfId(contactId)]).toString('base64url')
  // The last character is of what comes behind, too.
  return said.replaceAll(new RegExp(`${begins.slice(0, -1)}[\\w-]{44}`, 'g'), '…')
}

/** @returns whom it is of; `undefined` where it is not as it was made */
export function openLink(secret: KeyObject, kind: LinkKind, token: string): LinkOf | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // What decodes alike is another spelling, and nobody has made it.
  if (bytes.length !== LENGTH || bytes[0] !== VERSION || bytes.toString('base64url') !== token) return undefined
  const told = bytes.subarray(0, -MAC_BYTES)
  if (!timingSafeEqual(macOf(secret, kind, told), bytes.subarray(-MAC_BYTES))) return undefined
  return { contactId: idOfBytes(told.subarray(1, 1 + ID_BYTES)), originId: idOfBytes(told.subarray(1 + ID_BYTES)) }
}

const macOf = (secret: KeyObject, kind: LinkKind, told: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${kind}:`).update(told).digest().subarray(0, MAC_BYTES)
