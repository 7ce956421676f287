import type { Revisions } from '../platform/revisions.ts'

/** The ETag header of a resource with a revision (RFC 9110, section 8.8.3). */
export const etagOf = (revision: number): Record<string, string> => ({ ETag: `"${revision}"` })

/**
 * Parses the revisions that a change applies to (RFC 9110, section 13.1.1). A weak tag is compared like a strong one, because
 * each revision has exactly one representation.
 */
export function readIfMatch(header: string | undefined): Revisions {
  if (header === undefined) return undefined
  if (header.trim() === '*') return ['*']
  return header.split(',').map((tag) => /^\s*(?:W\/)?"(\d+)"\s*$/.exec(tag)?.[1] ?? '')
}
