import { createHash, randomBytes } from 'node:crypto'

/** What a cookie or a link carries: 256 bits, in letters that both take as they are. It is in clear only there. */
export const newToken = (): string => randomBytes(32).toString('base64url')

const FORM = /^[\w-]{43}$/

/** What is stored of a token. It is random enough that a plain, fast hash can't be searched. @returns `null` where it is none */
export const hashToken = (token: string): Buffer | null =>
  FORM.test(token) ? createHash('sha256').update(token).digest() : null
