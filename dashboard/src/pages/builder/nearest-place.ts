import type { Layout } from './layout.ts'
import { isInside, type Place, type TreeIndex } from './step-tree.ts'

/** The farthest that a step can be dropped from a place, in pixels. */
const MAX_DISTANCE = 140

/** Finds the place nearest to the pointer where a dragged step can go. */
export function nearestPlace(
  { places }: Layout,
  tree: TreeIndex,
  stepId: string,
  pointer: { x: number; y: number },
): Place | undefined {
  const [nearest] = places
    .filter(({ place }) => !isInside(tree, place, stepId))
    .map(({ place, x, y }) => ({ place, distance: Math.hypot(x - pointer.x, y - pointer.y) }))
    .sort((one, other) => one.distance - other.distance)
  return nearest && nearest.distance < MAX_DISTANCE ? nearest.place : undefined
}
