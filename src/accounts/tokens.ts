import { createHash, randomBytes } from 'node:crypto'

/** Creates a 256-bit token for a cookie or a link, in base64url. Only its hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url')

const FORM = /^[\w-]{43}$/

/** Hashes a token for storage. A fast hash is enough for 256 random bits. @returns `null` if the token is malformed */
export const hashToken = (token: string): Buffer | null =>
  FORM.test(token) ? createHash('sha256').update(token).digest() : null
