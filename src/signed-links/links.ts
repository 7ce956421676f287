import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bytesOfId, idOfBytes } from '../platform/ids.ts'
import { returnPathOf, unsubscribeAddressOf } from './return-path.ts'
import { signVisit, type VisitKind } from './visit-links.ts'

/** The recipient of a link in an email, and the reason for it: an enrollment, a campaign, or a confirmation request. */
export interface LinkOf {
  contactId: string
  originId: string
}

/** The purpose of a link. It is part of the signature, so that one kind is never accepted as another. */
export type LinkKind = 'unsubscribe' | 'confirm'

const ID_BYTES = 16
/** Half of the hash, which is enough to prevent guessing (RFC 2104, section 5). */
const MAC_BYTES = 16
const VERSION = 1
const LENGTH = 1 + 2 * ID_BYTES + MAC_BYTES

/**
 * Signed tokens for links in emails. They need no login and no row in the database, never expire, and reveal only IDs. They are
 * valid as long as the instance keeps its secret, which is included in backups.
 */
export interface Links {
  /** The URL of a link. */
  url(kind: LinkKind, of: LinkOf): string
  /** The return path of a message; `undefined` if Dripline does not read bounces. */
  returnPath(of: { contactId: string; messageId: string }): string | undefined
  /** The address that unsubscribes a message's contact; `undefined` if Dripline receives no mail. */
  unsubscribeAddress(of: { contactId: string; messageId: string }): string | undefined
  /** The URL that records a tracking event and redirects to the target; `undefined` if it would be too long. */
  visit(kind: VisitKind, of: { contactId: string; messageId: string; url: string; links: number }): string | undefined
  /** The public URL of the service without a trailing slash. */
  readonly publicUrl: string
}

/** Short, because they are in every email. */
export const VISIT_PATHS = { open: 'o', click: 'c' } as const satisfies Record<VisitKind, string>

/** @param bounceDomain the domain of bounces that this instance reads; `null`: none */
export function createLinks(secret: KeyObject, publicUrl: string, bounceDomain: string | null = null): Links {
  return {
    publicUrl,
    url: (kind, of) => `${publicUrl}/${kind}/${signLink(secret, kind, of)}`,
    visit(kind, of) {
      const token = signVisit(secret, kind, of)
      return token === undefined ? undefined : `${publicUrl}/${VISIT_PATHS[kind]}/${token}`
    },
    returnPath: (of) => (bounceDomain === null ? undefined : returnPathOf(secret, bounceDomain, of)),
    unsubscribeAddress: (of) => (bounceDomain === null ? undefined : unsubscribeAddressOf(secret, bounceDomain, of)),
  }
}

/** @returns 66 characters of the URL-safe alphabet (RFC 4648, section 5) */
export function signLink(secret: KeyObject, kind: LinkKind, { contactId, originId }: LinkOf): string {
  const payload = Buffer.concat([Uint8Array.of(VERSION), bytesOfId(contactId), bytesOfId(originId)])
  return Buffer.concat([payload, macOf(secret, kind, payload)]).toString('base64url')
}

/**
 * Removes the links of a contact from a text that was sent to them, so that its readers cannot act for the contact. Finds tokens
 * anywhere in the text, because a token begins with the contact's ID.
 */
export function withoutLinks(text: string, contactId: string): string {
  const begins = Buffer.concat([Uint8Array.of(VERSION), bytesOfId(contactId)]).toString('base64url')
  // The last character also encodes bits of the following bytes.
  return text.replaceAll(new RegExp(`${begins.slice(0, -1)}[\\w-]{44}`, 'g'), '…')
}

/** @returns the recipient; `undefined` if the token is not authentic */
export function openLink(secret: KeyObject, kind: LinkKind, token: string): LinkOf | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Another base64 spelling of the same bytes was not created here.
  if (bytes.length !== LENGTH || bytes[0] !== VERSION || bytes.toString('base64url') !== token) return undefined
  const payload = bytes.subarray(0, -MAC_BYTES)
  if (!timingSafeEqual(macOf(secret, kind, payload), bytes.subarray(-MAC_BYTES))) return undefined
  return {
    contactId: idOfBytes(payload.subarray(1, 1 + ID_BYTES)),
    originId: idOfBytes(payload.subarray(1 + ID_BYTES)),
  }
}

const macOf = (secret: KeyObject, kind: LinkKind, payload: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${kind}:`).update(payload).digest().subarray(0, MAC_BYTES)
