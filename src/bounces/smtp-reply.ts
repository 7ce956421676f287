/** An enhanced status code (RFC 3463). */
export interface StatusCode {
  /** The code as text, such as 5.1.1. */
  text: string
  /** 5 is permanent, 4 is temporary. */
  class: '4' | '5'
  /** The part without the class, such as 1.1. */
  detail: string
}

/** Not a part of an IP address or of a version. Subjects end at 7. */
const STATUS = /(?<![\d.])([45])\.([0-7]\.\d{1,3})(?![\d.])/g
/**
 * A reply code of a failure (RFC 5321, section 4.2) at the start of a line, after punctuation, or before a status code. A
 * greeting's 220 is skipped.
 */
const REPLY =
  /(?:^|[:;>([{"'=#,]|<<<|\bsaid|\breason|\bresponse)[ \t]{0,9}["'[(]{0,2}(?=([45])\d\d(?:[ -]+(?!\d{3}\b)\S|[:,;<]|\s*$))|\b(?=([45])\d\d[ -]["'(<]?[45]\.\d{1,3}\.\d)/im
/** Ends a reply: a blank line, or a line with another code or the command that follows. */
const END = /\n[ \t]*\n|\n[ \t]*(?:<<<[ \t]*)?(?:>>>|-{3,})/
const MAX_REPLY = 2_000

/** Returns the enhanced status code of a text. A code that has a meaning outweighs an undefined one (X.0.0, X.Y.0). */
export function findStatus(text: string): StatusCode | undefined {
  const codes = [...text.matchAll(STATUS)].map(([code, level, detail]) => ({
    text: code,
    class: level as '4' | '5',
    detail: detail!,
  }))
  return codes.find(isSpecific) ?? codes[0]
}

export const isSpecific = ({ detail }: StatusCode): boolean => !detail.endsWith('.0')

/** Finds the reply of a server in a text that quotes it, without what the quoting server says before and after it. */
export function findReply(text: string): string | undefined {
  const found = REPLY.exec(text)
  if (!found) return undefined
  const start = found.index + found[0].length
  const reply = text.slice(start, start + MAX_REPLY).split(END, 1)[0]!
  const code = reply.slice(0, 3)
  const lines = reply.split('\n')
  const next = lines.findIndex((line) => /^[ \t]*(?:<<<[ \t]*)?[2-5]\d\d[ -]/.test(line) && !line.includes(code))
  return lines
    .slice(0, next < 0 ? undefined : next)
    .join('\n')
    .trim()
}

/** Returns the class of a reply code at the start of a reply. */
export const classOf = (reply: string): '4' | '5' | undefined => /^([45])\d\d/.exec(reply)?.[1] as '4' | '5' | undefined
