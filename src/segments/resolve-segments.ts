import type { EntityManager } from '../platform/db/orm.ts'
import { invalid } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import type { Condition, ResolvedCondition } from './condition.ts'
import { Segment } from './entities.ts'

/** The maximum number of levels of segments that refer to segments, and of the parts of all their conditions. */
export const MAX_SEGMENT_LEVELS = 10
export const MAX_RESOLVED_PARTS = 1_000

const NO_CONTACT: ResolvedCondition = { any: [] }

/**
 * Replaces the segments in a condition by their conditions. A segment that does not exist contains no contacts.
 * @throws {ApiError} `invalid` if the result is too large
 */
export async function resolveSegments(
  em: EntityManager,
  workspaceId: string,
  condition: Condition,
): Promise<ResolvedCondition> {
  const [resolved] = await resolveAllSegments(em, workspaceId, [condition])
  return resolved!
}

/** Resolves several conditions as {@link resolveSegments}. */
export async function resolveAllSegments(
  em: EntityManager,
  workspaceId: string,
  conditions: readonly Condition[],
): Promise<ResolvedCondition[]> {
  const known = await loadSegments(em, workspaceId, { all: [...conditions] })
  return conditions.map((condition) => inline(condition, known))
}

/** Returns a function that resolves any of several conditions, with the segments as they are now. */
export async function segmentResolver(
  em: EntityManager,
  workspaceId: string,
  conditions: readonly Condition[],
): Promise<(condition: Condition) => ResolvedCondition> {
  return resolverOf(await loadSegments(em, workspaceId, { all: [...conditions] }))
}

/** Returns a function that replaces the segments in a condition by the given conditions of segments. */
export function resolverOf(known: ReadonlyMap<string, Condition>): (condition: Condition) => ResolvedCondition {
  const resolved = new WeakMap<Condition, ResolvedCondition>()
  return (condition) => {
    const before = resolved.get(condition) ?? inline(condition, known)
    resolved.set(condition, before)
    return before
  }
}

/** The conditions of the segments to which a condition refers, directly or through others. */
export async function loadSegments(
  em: EntityManager,
  workspaceId: string,
  condition: Condition,
): Promise<Map<string, Condition>> {
  const known = new Map<string, Condition>()
  let wanted = segmentsIn(condition).filter(isId)
  while (wanted.length > 0) {
    const found = await unitOf(em).find(Segment, { workspaceId, id: { $in: [...new Set(wanted)] } }, FRESH_READ)
    for (const segment of found) known.set(segment.id, segment.condition)
    wanted = found.flatMap((segment) => segmentsIn(segment.condition)).filter((id) => isId(id) && !known.has(id))
  }
  return known
}

/** @throws {ApiError} `invalid` */
function inline(condition: Condition, known: ReadonlyMap<string, Condition>): ResolvedCondition {
  let parts = 0
  const of = (part: Condition, path: readonly string[]): ResolvedCondition => {
    parts += 1
    if (parts > MAX_RESOLVED_PARTS) {
      throw invalid(`condition must not have more than ${MAX_RESOLVED_PARTS} parts, with those of its segments`)
    }
    if ('all' in part) return { all: part.all.map((each) => of(each, path)) }
    if ('any' in part) return { any: part.any.map((each) => of(each, path)) }
    if ('not' in part) return { not: of(part.not, path) }
    if (!('segment' in part)) return part
    const referred = known.get(part.segment)
    // Two requests that change segments concurrently can create a cycle that neither of them sees.
    return referred && !path.includes(part.segment) ? of(referred, [...path, part.segment]) : NO_CONTACT
  }
  return of(condition, [])
}

/** The IDs of the segments to which a condition refers itself. */
function segmentsIn(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(segmentsIn)
  if ('any' in condition) return condition.any.flatMap(segmentsIn)
  if ('not' in condition) return segmentsIn(condition.not)
  return 'segment' in condition ? [condition.segment] : []
}
