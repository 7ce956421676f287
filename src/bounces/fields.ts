export type Fields = ReadonlyMap<string, string>

/** Maximum number of groups. Each one describes one recipient. */
const MAX_GROUPS = 100
const MAX_VALUE = 2_000

/**
 * Reads the fields of a report: groups of `Name: value`, with a blank line between them (RFC 3464, section 2.1; RFC 5965, section
 * 3). Names are in lower case. If several fields have the same name, the first one counts.
 */
export function readGroups(text: string): Fields[] {
  const groups: Fields[] = []
  let group = new Map<string, string>()
  let last: string | undefined
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.trim() === '') {
      if (group.size > 0) groups.push(group)
      if (groups.length === MAX_GROUPS) return groups
      group = new Map()
      last = undefined
      continue
    }
    const colon = line.indexOf(':')
    if (/^[ \t]/.test(line)) {
      const before = last === undefined ? undefined : group.get(last)
      if (before !== undefined) group.set(last!, `${before} ${line.trim()}`.slice(0, MAX_VALUE))
    } else if (colon > 0) {
      const name = line.slice(0, colon).trim().toLowerCase()
      last = group.has(name) ? undefined : name
      if (last !== undefined) group.set(name, line.slice(colon + 1, colon + MAX_VALUE).trim())
    }
  }
  return group.size > 0 ? [...groups, group] : groups
}

/** Matches the innermost comment only, so matching is linear. */
const COMMENT = /\([^()]*\)/g

/** Removes comments from a field (RFC 5322, section 3.2.2). */
export const withoutComments = (value: string): string => value.replaceAll(COMMENT, '').trim()

/** Reads the recipient of a field, which may be only a local name: `local; ada`. */
export const nameIn = (value: string | undefined): string | null => {
  const name = withoutComments((value ?? '').replace(/^[^;@]*;/, ''))
  const [, within] = /<([^<>]*)>$/.exec(name) ?? []
  return (within ?? name).trim() || null
}

/** Reads the address of a field, such as `rfc822; ada@example.com`. */
export const addressIn = (value: string | undefined): string | null => {
  const name = nameIn(value)
  return name?.includes('@') ? name : null
}
