import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bytesOfId, idOfBytes, isId } from '../platform/ids.ts'

/** Which message something is of: its contact, and the beginning of its Message-ID header. */
export interface MessageIdBeginning {
  contactId: string
  /** As many hexadecimal digits of the Message-ID as `DIGEST_BYTES` has. */
  messageIdBegins: string
}

const ID_BYTES = 16
/** Among the messages of one contact. */
const DIGEST_BYTES = 6
/** As many as fit into the 64 octets of a local part (RFC 5321, section 4.5.3.1.1), in digits that no server folds. A guess is a conversation with ours. */
const MAC_BYTES = 8
const LENGTH = ID_BYTES + DIGEST_BYTES + MAC_BYTES
/** @returns the digits that a Message-ID of ours begins with; `undefined` where it is none */
export const messageIdBeginning = (messageId: string): string | undefined =>
  new RegExp(`^<([0-9a-f]{${2 * DIGEST_BYTES}})`).exec(messageId)?.[1]

const LOCAL_PART = new RegExp(`^b-([0-9a-f]{${2 * LENGTH}})$`)

/**
 * Where what cannot be delivered of one message goes back to: its address says which message it was, whatever is left of that in the
 * report, and nobody makes one who has not got the message (VERP, signed).
 *
 * @param messageId the header of the message
 * @see https://cr.yp.to/proto/verp.txt the idea
 */
export function returnPathOf(
  secret: KeyObject,
  domain: string,
  { contactId, messageId }: { contactId: string; messageId: string },
): string | undefined {
  const digest = messageIdBeginning(messageId)
  if (digest === undefined || !isId(contactId)) return undefined
  const told = Buffer.concat([bytesOfId(contactId), Buffer.from(digest, 'hex')])
  return `b-${Buffer.concat([told, macOf(secret, told)]).toString('hex')}@${domain}`
}

const ANYWHERE = new RegExp(`b-[0-9a-f]{${2 * LENGTH}}`, 'gi')

/** Takes them out of a server's words before these are kept: whoever reads them there could report in a server's name. */
export const withoutReturnPaths = (said: string): string => said.replaceAll(ANYWHERE, '…')

/** @returns which message an address is the return path of; `undefined` where it is none of ours */
export function openReturnPath(secret: KeyObject, address: string): MessageIdBeginning | undefined {
  const at = address.lastIndexOf('@')
  const hex = LOCAL_PART.exec(address.slice(0, Math.max(at, 0)).toLowerCase())?.[1]
  if (hex === undefined) return undefined
  const bytes = Buffer.from(hex, 'hex')
  const told = bytes.subarray(0, -MAC_BYTES)
  if (!timingSafeEqual(macOf(secret, told), bytes.subarray(-MAC_BYTES))) return undefined
  return {
    contactId: idOfBytes(told.subarray(0, ID_BYTES)),
    messageIdBegins: told.subarray(ID_BYTES).toString('hex'),
  }
}

const macOf = (secret: KeyObject, told: Uint8Array): Buffer =>
  createHmac('sha256', secret).update('return-path:').update(told).digest().subarray(0, MAC_BYTES)
