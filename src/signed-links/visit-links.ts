import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bytesOfId, idOfBytes, isId } from '../platform/ids.ts'
import { messageIdBeginning, type MessageIdBeginning } from './return-path.ts'

/** The opening of an email, or a click on one of its links. */
export type VisitKind = 'open' | 'click'

/** The email of a tracked link, and its target. */
export interface VisitOf extends MessageIdBeginning {
  /** The target; empty for an opening. */
  url: string
  /** The number of links in the email, at most 255. */
  links: number
}

const ID_BYTES = 16
const DIGEST_BYTES = 6
const MAC_BYTES = 16
const VERSION = 1
const HEAD = 1 + ID_BYTES + DIGEST_BYTES + 1 + MAC_BYTES
/** A longer URL is not tracked: mail programs truncate such URLs, and Postgres cannot index a longer key. */
export const MAX_URL_BYTES = 2_000

/**
 * Signs a tracking token. The target is part of the signed token, so that the link works even if the message is deleted, and
 * cannot be changed.
 *
 * @param messageId the header of the message
 * @returns characters of the URL-safe alphabet (RFC 4648, section 5); `undefined` if the URL is too long
 */
export function signVisit(
  secret: KeyObject,
  kind: VisitKind,
  { contactId, messageId, url, links }: { contactId: string; messageId: string; url: string; links: number },
): string | undefined {
  const begins = messageIdBeginning(messageId)
  const to = Buffer.from(url)
  if (begins === undefined || !isId(contactId) || to.length > MAX_URL_BYTES) return undefined
  const payload = Buffer.concat([
    Uint8Array.of(VERSION),
    bytesOfId(contactId),
    Buffer.from(begins, 'hex'),
    Uint8Array.of(Math.min(links, 255)),
  ])
  return Buffer.concat([payload, macOf(secret, kind, payload, to), to]).toString('base64url')
}

/** @returns the content of a token; `undefined` if it is not authentic */
export function openVisit(secret: KeyObject, kind: VisitKind, token: string): VisitOf | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Another base64 spelling of the same bytes was not created here.
  if (bytes.length < HEAD || bytes.length > HEAD + MAX_URL_BYTES) return undefined
  if (bytes[0] !== VERSION || bytes.toString('base64url') !== token) return undefined
  const [payload, mac, to] = [
    bytes.subarray(0, HEAD - MAC_BYTES),
    bytes.subarray(HEAD - MAC_BYTES, HEAD),
    bytes.subarray(HEAD),
  ]
  if (!timingSafeEqual(macOf(secret, kind, payload, to), mac)) return undefined
  return {
    contactId: idOfBytes(payload.subarray(1, 1 + ID_BYTES)),
    messageIdBegins: payload.subarray(1 + ID_BYTES, 1 + ID_BYTES + DIGEST_BYTES).toString('hex'),
    links: payload.at(-1)!,
    url: to.toString(),
  }
}

const macOf = (secret: KeyObject, kind: VisitKind, payload: Uint8Array, url: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${kind}:`).update(payload).update(url).digest().subarray(0, MAC_BYTES)
