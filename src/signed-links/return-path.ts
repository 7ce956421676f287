import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bytesOfId, idOfBytes, isId } from '../platform/ids.ts'

/** Identifies a message: its contact, and the beginning of its Message-ID header. */
export interface MessageIdBeginning {
  contactId: string
  /** The first hexadecimal digits of the Message-ID, `DIGEST_BYTES` long. */
  messageIdBegins: string
}

const ID_BYTES = 16
/** Enough to distinguish the messages of one contact. */
const DIGEST_BYTES = 6
/**
 * The most that fits into the 64 octets of a local part (RFC 5321, section 4.5.3.1.1) in digits, whose case no server changes.
 * Each guess needs an SMTP session with this service.
 */
const MAC_BYTES = 8
const LENGTH = ID_BYTES + DIGEST_BYTES + MAC_BYTES
/** @returns the leading digits of a Message-ID of Dripline; `undefined` for any other */
export const messageIdBeginning = (messageId: string): string | undefined =>
  new RegExp(`^<([0-9a-f]{${2 * DIGEST_BYTES}})`).exec(messageId)?.[1]

/** The purpose of an address. It is part of the signature, so that one kind is never accepted as another. */
type AddressKind = 'return-path' | 'unsubscribe-address'
const PREFIXES: Record<AddressKind, string> = { 'return-path': 'b', 'unsubscribe-address': 'u' }
type MessageOf = { contactId: string; messageId: string }

/**
 * The return path of a message. The address identifies the message, regardless of what a bounce report contains, and cannot be
 * forged without the message (signed VERP).
 *
 * @param messageId the header of the message
 * @see https://cr.yp.to/proto/verp.txt for the idea
 */
export const returnPathOf = (secret: KeyObject, domain: string, of: MessageOf): string | undefined =>
  addressOf(secret, 'return-path', domain, of)

/** The address of a message that unsubscribes its contact: any mail to it is a request (RFC 2369, section 3.2). */
export const unsubscribeAddressOf = (secret: KeyObject, domain: string, of: MessageOf): string | undefined =>
  addressOf(secret, 'unsubscribe-address', domain, of)

function addressOf(
  secret: KeyObject,
  kind: AddressKind,
  domain: string,
  { contactId, messageId }: MessageOf,
): string | undefined {
  const digest = messageIdBeginning(messageId)
  if (digest === undefined || !isId(contactId)) return undefined
  const payload = Buffer.concat([bytesOfId(contactId), Buffer.from(digest, 'hex')])
  return `${PREFIXES[kind]}-${Buffer.concat([payload, macOf(secret, kind, payload)]).toString('hex')}@${domain}`
}

const ANYWHERE = new RegExp(`[bu]-[0-9a-f]{${2 * LENGTH}}`, 'gi')

/** Removes signed addresses from a server response before it is stored: a reader could use them to forge bounces or requests. */
export const withoutReturnPaths = (text: string): string => text.replaceAll(ANYWHERE, '…')

/** @returns the message of a return path; `undefined` if the address is not one of Dripline */
export const openReturnPath = (secret: KeyObject, address: string): MessageIdBeginning | undefined =>
  openAddress(secret, 'return-path', address)

/** @returns the message of an address that unsubscribes; `undefined` if the address is not one of Dripline */
export const openUnsubscribeAddress = (secret: KeyObject, address: string): MessageIdBeginning | undefined =>
  openAddress(secret, 'unsubscribe-address', address)

const LOCAL_PART = new RegExp(`^([bu])-([0-9a-f]{${2 * LENGTH}})$`)

function openAddress(secret: KeyObject, kind: AddressKind, address: string): MessageIdBeginning | undefined {
  const at = address.lastIndexOf('@')
  const [, prefix, hex] = LOCAL_PART.exec(address.slice(0, Math.max(at, 0)).toLowerCase()) ?? []
  if (hex === undefined || prefix !== PREFIXES[kind]) return undefined
  const bytes = Buffer.from(hex, 'hex')
  const payload = bytes.subarray(0, -MAC_BYTES)
  if (!timingSafeEqual(macOf(secret, kind, payload), bytes.subarray(-MAC_BYTES))) return undefined
  return {
    contactId: idOfBytes(payload.subarray(0, ID_BYTES)),
    messageIdBegins: payload.subarray(ID_BYTES).toString('hex'),
  }
}

const macOf = (secret: KeyObject, kind: AddressKind, payload: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${kind}:`).update(payload).digest().subarray(0, MAC_BYTES)
