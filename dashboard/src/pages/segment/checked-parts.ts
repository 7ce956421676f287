import type { Schemas } from '../../api/client.ts'
import { describeCondition, type Names } from '../../components/conditions/describe-condition.ts'
import { groupOf, type Join, type Loose, partOf, valueInputOf } from '../../components/conditions/condition.ts'

/** A line of the answer to "Is this contact in the segment?". */
export interface CheckedLine {
  path: string
  text: string
  level: number
  isFulfilled: boolean
  decides: boolean
  /** The value of the contact, for a condition that compares one. */
  found: string | undefined
}

const GROUP_TEXTS: Record<Join, string> = {
  all: 'All of these',
  any: 'Any of these',
  none: 'None of these',
  notAll: 'Not all of these',
}
const GROUP_PATHS: Record<Join, string> = { all: '/all', any: '/any', none: '/not/any', notAll: '/not/all' }

/** Lists each condition with whether the contact fulfills it. The outermost group has no line if all conditions must match. */
export function checkedLines(condition: Loose, parts: Schemas['CheckedContact']['parts'], names: Names): CheckedLine[] {
  const byPath = new Map(parts.map((part) => [part.path, part]))

  const lines = (part: Loose, path: string, level: number, isExcluded: boolean): CheckedLine[] => {
    const group = groupOf(part)
    const { matches, decides } = byPath.get(path) ?? { matches: false, decides: false }
    const line = { path, level, decides, isFulfilled: matches !== isExcluded }
    if (!group) return [{ ...line, text: describeCondition(part, names), found: foundOf(part, path) }]
    const isPlainRoot = path === '' && group.join === 'all'
    const isExcluding = group.join === 'none' || group.join === 'notAll'
    return [
      ...(isPlainRoot ? [] : [{ ...line, text: GROUP_TEXTS[group.join], found: undefined }]),
      ...group.items.flatMap((item, n) =>
        lines(item, `${path}${GROUP_PATHS[group.join]}/${n}`, isPlainRoot ? level : level + 1, isExcluding),
      ),
    ]
  }

  const foundOf = (part: Loose, path: string): string | undefined => {
    const found = partOf(part)
    if (!found || (found.kind !== 'field' && found.kind !== 'metadata') || valueInputOf(found.part) === 'none')
      return undefined
    const value = byPath.get(found.isNegated ? `${path}/not` : path)?.value ?? null
    return value === null ? 'not set' : String(value)
  }

  return lines(condition, '', 0, false)
}
