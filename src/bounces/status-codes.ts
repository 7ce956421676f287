import { meaningOfCode } from '../smtp/index.ts'
import type { BounceCategory } from './categories.ts'
import type { StatusCode } from './smtp-reply.ts'

/** Returns the category that a status code means, or `undefined` if it is not specific. */
export function categoryOfCode({ class: level, detail }: StatusCode): BounceCategory | undefined {
  // Many servers use 4.2.1 for any problem with a mailbox.
  if (level === '4' && detail === '2.1') return undefined
  return meaningOfCode(detail)
}

/** SMTP reply codes with one meaning (RFC 4954, RFC 7504). */
const REPLY_CODES: Readonly<Record<string, BounceCategory>> = {
  530: 'AUTHENTICATION',
  534: 'AUTHENTICATION',
  535: 'AUTHENTICATION',
  556: 'DOMAIN_NOT_FOUND',
}

export const categoryOfReply = (reply: string): BounceCategory | undefined => REPLY_CODES[reply.slice(0, 3)]
