import type { EntityManager } from '../platform/db/orm.ts'
import type { Condition } from './condition.ts'
import { idsOfReferringSegments } from './queries.ts'
import { loadSegments, MAX_RESOLVED_PARTS, MAX_SEGMENT_LEVELS } from './resolve-segments.ts'

/**
 * Checks the segments to which a condition refers, before it is saved.
 *
 * @param of.path the name of the condition in the text
 * @param of.segmentId the segment that gets the condition, if any
 * @returns a text that describes what is wrong; `undefined` if nothing is
 */
export async function findSegmentProblem(
  em: EntityManager,
  workspaceId: string,
  condition: Condition,
  { path = 'condition', segmentId }: { path?: string; segmentId?: string } = {},
): Promise<string | undefined> {
  const referring = segmentId === undefined ? [] : await idsOfReferringSegments(em, workspaceId)
  const known = await loadSegments(em, workspaceId, { all: [condition, ...referring.map((segment) => ({ segment }))] })
  return problemAmong(known, condition, { path, segmentId, referring })
}

/** Checks a condition as {@link findSegmentProblem}, with the given conditions of segments. */
export function problemAmong(
  known: Map<string, Condition>,
  condition: Condition,
  { path, segmentId, referring }: { path: string; segmentId: string | undefined; referring: readonly string[] },
): string | undefined {
  if (segmentId !== undefined) known.set(segmentId, condition)
  const extentOf = measure(known, segmentId)
  const { levels, parts, includesTarget } = extentOf(condition)
  if (includesTarget) return `${path} must not refer to its own segment, directly or through other segments`
  if (levels > MAX_SEGMENT_LEVELS) return `${path} must not refer to more than ${MAX_SEGMENT_LEVELS} levels of segments`
  if (parts > MAX_RESOLVED_PARTS)
    return `${path} must not have more than ${MAX_RESOLVED_PARTS} parts, with those of its segments`
  const isTooMuch = referring
    .map((segment) => extentOf({ segment }))
    .some((each) => each.includesTarget && (each.levels > MAX_SEGMENT_LEVELS + 1 || each.parts > MAX_RESOLVED_PARTS))
  if (!isTooMuch) return undefined
  return `${path} is too large for a segment that refers to this one: at most ${MAX_SEGMENT_LEVELS} levels and ${MAX_RESOLVED_PARTS} parts`
}

/** The extent of a condition, with the conditions of its segments. */
interface Extent {
  /** Levels of segments that refer to segments. */
  levels: number
  parts: number
  includesTarget: boolean
}

/** Returns a function that measures conditions. Each segment is measured once. */
function measure(known: ReadonlyMap<string, Condition>, target: string | undefined): (condition: Condition) => Extent {
  const measured = new Map<string, Extent>()

  const ofSegment = (id: string): Extent => {
    const before = measured.get(id)
    if (before) return before
    // In a cycle that concurrent requests created, the segment is empty.
    measured.set(id, { levels: 0, parts: 0, includesTarget: id === target })
    const condition = known.get(id)
    const { levels, parts, includesTarget } = condition ? of(condition) : NOTHING
    const extent = { levels: levels + 1, parts, includesTarget: includesTarget || id === target }
    measured.set(id, extent)
    return extent
  }
  const ofMany = (conditions: readonly Condition[]): Extent =>
    conditions.map(of).reduce(
      (sum, each) => ({
        levels: Math.max(sum.levels, each.levels),
        parts: sum.parts + each.parts,
        includesTarget: sum.includesTarget || each.includesTarget,
      }),
      NOTHING,
    )
  const withOne = (extent: Extent): Extent => ({ ...extent, parts: extent.parts + 1 })

  function of(condition: Condition): Extent {
    if ('all' in condition) return withOne(ofMany(condition.all))
    if ('any' in condition) return withOne(ofMany(condition.any))
    if ('not' in condition) return withOne(of(condition.not))
    return withOne('segment' in condition ? ofSegment(condition.segment) : NOTHING)
  }
  return of
}

const NOTHING: Extent = { levels: 0, parts: 0, includesTarget: false }
