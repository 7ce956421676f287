import type { Revisions } from '../platform/revisions.ts'

/** The header of an answer that has a revision (RFC 9110, section 8.8.3). */
export const etagOf = (revision: number): Record<string, string> => ({ ETag: `"${revision}"` })

/**
 * Which revisions a change is for (RFC 9110, section 13.1.1). A weak tag is compared as a strong one: there is one text of each
 * revision.
 */
export function readIfMatch(header: string | undefined): Revisions {
  if (header === undefined) return undefined
  if (header.trim() === '*') return ['*']
  return header.split(',').map((tag) => /^\s*(?:W\/)?"(\d+)"\s*$/.exec(tag)?.[1] ?? '')
}
