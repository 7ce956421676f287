import type { DnsRecord } from './dns-records.ts'

export interface CheckedRecord extends DnsRecord {
  /** MISSING: there is no such record; WRONG: there is a different one; UNKNOWN: the lookup failed. */
  status: 'OK' | 'MISSING' | 'WRONG' | 'UNKNOWN'
  found: string[]
  /** Description of the error. */
  problem: string | null
  /** DNS lookups that an SPF record causes. */
  lookups: number | null
}
/** The result of one check. */
export type Finding = Pick<CheckedRecord, 'status' | 'found' | 'problem'> &
  Partial<Pick<CheckedRecord, 'note' | 'lookups'>>

/** Reports several records, or the problem of the only one. */
export function judged(found: string[], problemOf: (text: string) => string | null): Finding {
  const [text] = found
  if (text === undefined) return { status: 'MISSING', found, problem: null }
  const problem = found.length > 1 ? several(found.length) : problemOf(text)
  return { status: problem === null ? 'OK' : 'WRONG', found, problem }
}

/** Describes several records where receivers accept one. */
export const several = (count: number): string =>
  `There are ${count} such records, so receivers ignore all of them. Keep only one.`

/** Runs a check; UNKNOWN if a DNS lookup fails. */
export async function orUnknown(check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException
    return { status: 'UNKNOWN', found: [], problem: `The DNS lookup failed: ${code}` }
  }
}

/** Limits the records and characters that a response contains. */
export const shortened = (finding: Finding): Finding => ({
  ...finding,
  found: finding.found.slice(0, 5).map((text) => text.slice(0, 1_000)),
})

/** The value of a tag without whitespace; `undefined` if the record does not have it (RFC 6376, section 3.2). */
export const tagOf = (text: string, tag: string): string | undefined =>
  new RegExp(`(?:^|;)\\s*${tag}\\s*=([^;]*)`, 'i').exec(text)?.[1]?.replace(/\s/g, '')
