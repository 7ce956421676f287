import type { Condition } from './condition.ts'

/** A part of a condition, checked for a contact. */
export interface CheckedPart {
  /** JSON pointer into the condition, such as `/all/1/not`. */
  path: string
  matches: boolean
  /** Whether the result of the condition rests on this part. */
  decides: boolean
}

/** The parts that are not groups, by their paths. */
export function leavesOf(condition: Condition, path = ''): Map<string, Condition> {
  const parts = partsOf(condition, path)
  if (!parts) return new Map([[path, condition]])
  return new Map(parts.flatMap(([at, part]) => [...leavesOf(part, at)]))
}

/**
 * Lists the parts of a condition in its order, groups before their parts. A part decides if it has the result of its group: one that
 * does not match decides `all`, and one that matches decides `any`.
 *
 * @param leaves whether the contact matches each part that is not a group, by its path
 */
export function checkParts(condition: Condition, leaves: ReadonlyMap<string, boolean>): CheckedPart[] {
  const isTrue = (part: Condition, path: string): boolean => {
    const parts = partsOf(part, path)
    if (!parts) return leaves.get(path)!
    if ('all' in part) return parts.every(([at, each]) => isTrue(each, at))
    if ('any' in part) return parts.some(([at, each]) => isTrue(each, at))
    return !parts.some(([at, each]) => isTrue(each, at))
  }
  const list = (part: Condition, path: string, decides: boolean): CheckedPart[] => {
    const matches = isTrue(part, path)
    const parts = partsOf(part, path) ?? []
    return [
      { path, matches, decides },
      ...parts.flatMap(([at, each]) => list(each, at, decides && ('not' in part || isTrue(each, at) === matches))),
    ]
  }
  return list(condition, '', true)
}

/** The parts of a group with their paths. @returns `undefined` for one that is not a group */
function partsOf(condition: Condition, path: string): [path: string, part: Condition][] | undefined {
  if ('all' in condition) return condition.all.map((part, n) => [`${path}/all/${n}`, part])
  if ('any' in condition) return condition.any.map((part, n) => [`${path}/any/${n}`, part])
  return 'not' in condition ? [[`${path}/not`, condition.not]] : undefined
}
