import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bytesOfId, idOfBytes, isId } from '../platform/ids.ts'
import { messageIdBeginning, type MessageIdBeginning } from './return-path.ts'

/** That an email was opened, or one of its links followed. */
export type VisitKind = 'open' | 'click'

/** Which email it is that a link was visited of, and where that leads. */
export interface VisitOf extends MessageIdBeginning {
  /** Where it leads; of an opening, nowhere: an empty text. */
  url: string
  /** How many links the email has, 255 at most. */
  links: number
}

const ID_BYTES = 16
const DIGEST_BYTES = 6
const MAC_BYTES = 16
const VERSION = 1
const HEAD = 1 + ID_BYTES + DIGEST_BYTES + 1 + MAC_BYTES
/** A longer one is left as it is: mail programs cut them, and Postgres keeps no longer key. */
export const MAX_URL_BYTES = 2_000

/**
 * A token for a link that leads by way of us. Where it leads is in it and signed: so it leads there also when nothing else is left of
 * the email, and nobody makes one that leads elsewhere.
 *
 * @param messageId the header of the message
 * @returns characters of the URL-safe alphabet (RFC 4648, section 5); `undefined` where there can be none
 */
export function signVisit(
  secret: KeyObject,
  kind: VisitKind,
  { contactId, messageId, url, links }: { contactId: string; messageId: string; url: string; links: number },
): string | undefined {
  const begins = messageIdBeginning(messageId)
  const to = Buffer.from(url)
  if (begins === undefined || !isId(contactId) || to.length > MAX_URL_BYTES) return undefined
  const told = Buffer.concat([
    Uint8Array.of(VERSION),
    bytesOfId(contactId),
    Buffer.from(begins, 'hex'),
    Uint8Array.of(Math.min(links, 255)),
  ])
  return Buffer.concat([told, macOf(secret, kind, told, to), to]).toString('base64url')
}

/** @returns what it is of; `undefined` where it is not as it was made */
export function openVisit(secret: KeyObject, kind: VisitKind, token: string): VisitOf | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // What decodes alike is another spelling, and nobody has made it.
  if (bytes.length < HEAD || bytes.length > HEAD + MAX_URL_BYTES) return undefined
  if (bytes[0] !== VERSION || bytes.toString('base64url') !== token) return undefined
  const [told, mac, to] = [
    bytes.subarray(0, HEAD - MAC_BYTES),
    bytes.subarray(HEAD - MAC_BYTES, HEAD),
    bytes.subarray(HEAD),
  ]
  if (!timingSafeEqual(macOf(secret, kind, told, to), mac)) return undefined
  return {
    contactId: idOfBytes(told.subarray(1, 1 + ID_BYTES)),
    messageIdBegins: told.subarray(1 + ID_BYTES, 1 + ID_BYTES + DIGEST_BYTES).toString('hex'),
    links: told.at(-1)!,
    url: to.toString(),
  }
}

const macOf = (secret: KeyObject, kind: VisitKind, told: Uint8Array, url: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${kind}:`).update(told).update(url).digest().subarray(0, MAC_BYTES)
