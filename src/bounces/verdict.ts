import { type BounceCategory, type BounceKind, kindOf } from './categories.ts'
import { categoryOfWords, likelyCategory, wordsOf } from './category-of-words.ts'
import { FOR_NOW } from './concepts.ts'
import { classOf, findReply, findStatus, isSpecific } from './smtp-reply.ts'
import { categoryOfCode, categoryOfReply } from './status-codes.ts'

export interface Verdict {
  kind: Extract<BounceKind, 'HARD' | 'SOFT' | 'BLOCKED'>
  category: BounceCategory
  /** Enhanced status code (RFC 3463), such as 5.1.1, or `null`. */
  status: string | null
}

/** Cause of a failed delivery, before its kind is decided. */
export interface Cause {
  category: BounceCategory
  /** Permanent without a doubt. */
  isPermanent: boolean
  status: string | null
}

/** Maximum characters to match. */
const MAX_TEXT = 10_000
const AFTER_CONTENT = /\b(?:after|reply to) (?:the )?end of data\b/i

/**
 * Finds the cause of a failed delivery:
 * 1. The other server's reply outweighs the status of the reporting server, which often is unspecific or derived.
 * 2. Its words outweigh its codes. Codes decide if the words name no cause.
 * 3. It is permanent if no code is temporary (class 4). If the server had accepted the recipient first, its own reply must name the
 *    cause.
 *
 * @param status status in the report of a server or a provider
 * @param reply the other server's response, as reported
 * @param text surrounding text
 */
export function findCause(status: string | null, reply: string | null, text = ''): Cause {
  const reported = findStatus(status?.slice(0, MAX_TEXT) ?? '')
  const surrounding = text.slice(0, MAX_TEXT)
  const said = reply?.slice(0, MAX_TEXT).replace(/^[\w-]{1,40};/, '')
  const replies = [said && (findReply(said) ?? said), findReply(surrounding)].flatMap((one) => one ?? [])
  const [remote = surrounding] = replies
  const own = findStatus(remote)
  const stated = replies.map(statedIn).find((one) => one !== undefined)
  const category =
    stated ??
    (reported && isSpecific(reported) ? categoryOfCode(reported) : undefined) ??
    (replies.length === 0 ? statedByReporter(surrounding) : undefined) ??
    likelyCategory(wordsOf(remote)) ??
    (reported && categoryOfCode(reported)) ??
    'UNKNOWN'
  const isTemporary = [classOf(remote), own?.class, reported?.class].includes('4') || FOR_NOW.test(remote)
  const isDoubtful = AFTER_CONTENT.test(`${said} ${surrounding}`) && stated === undefined
  const code = own && (isSpecific(own) || !reported || !isSpecific(reported)) ? own : reported
  return { category, isPermanent: !isTemporary && !isDoubtful, status: code?.text ?? null }
}

/** Returns the category that a server's reply states. */
function statedIn(reply: string): BounceCategory | undefined {
  const code = findStatus(reply)
  return categoryOfReply(reply) ?? categoryOfWords(wordsOf(reply), code) ?? (code && categoryOfCode(code))
}

/** Returns the category that the first paragraph with a statement states. Others are greetings and advice. */
function statedByReporter(text: string): BounceCategory | undefined {
  for (const paragraph of text.split(/\n\s*\n/)) {
    const category = categoryOfWords(wordsOf(paragraph), findStatus(paragraph))
    if (category !== undefined) return category
  }
  return undefined
}

/** Classifies a failed delivery. When in doubt, it is SOFT and does not count. See `findCause` for the parameters. */
export function classifyBounce(status: string | null, reply: string | null, text = ''): Verdict {
  const { category, isPermanent, status: code } = findCause(status, reply, text)
  return { kind: kindOf(category, isPermanent), category, status: code }
}
