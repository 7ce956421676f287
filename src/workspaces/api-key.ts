import type { WorkspaceMode } from '../http/index.ts'
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const VISIBLE_LENGTH = 'svc_live_'.length + 6
const FORM = new RegExp(`^svc_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** CRC-32 in base62: six digits hold every value. */
function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

/** Generates a key: a prefix, 32 random base62 characters (190 bits), and a 6-character checksum. Only its hash is stored. */
export function generateApiKey(mode: WorkspaceMode): string {
  let body = `svc_${mode}_`
  for (let i = 0; i < SECRET_LENGTH; i += 1) body += ALPHABET.charAt(randomInt(ALPHABET.length))
  return body + checksum(body)
}

/** Checks the form of a key. A mistyped key fails its checksum and costs no query. */
export const isWellFormedApiKey = (text: string): boolean =>
  FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)

/** Hashes a key for storage. A fast hash is enough for 190 random bits. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Returns the visible prefix of a key: `svc_live_` and six characters. */
export const visiblePrefix = (key: string): string => key.slice(0, VISIBLE_LENGTH)
