import type { Selected } from './canvas-context.ts'
import { branchesOf, branchId, parseBranchId, type TreeIndex } from './step-tree.ts'

export type Direction = 'up' | 'down' | 'left' | 'right'

/** Finds where an arrow key moves the selection: up and down in reading order, left and right between branches. */
export function neighborOf(id: Selected, direction: Direction, tree: TreeIndex): Selected {
  if (direction === 'up' || direction === 'down') {
    const order: readonly Selected[] = ['trigger', ...tree.order, 'end']
    const at = order.indexOf(id) + (direction === 'down' ? 1 : -1)
    return order[Math.max(0, Math.min(order.length - 1, at))]!
  }
  const found = tree.find(id)
  if (found && direction === 'right' && branchesOf(found.step).length > 0) return branchId(id, 0)
  return besideOf(id, direction === 'left' ? -1 : 1, tree) ?? id
}

/** The branch beside the nearest one that has a branch on this side; to the left of the first, its step. */
function besideOf(id: Selected, by: 1 | -1, tree: TreeIndex): Selected | undefined {
  const parent = tree.find(id)?.place
  const own = parent ? parent.parent !== null && { stepId: parent.parent, branch: parent.branch } : parseBranchId(id)
  if (!own) return undefined
  const step = tree.find(own.stepId)?.step
  if (!step) return undefined
  const branch = own.branch + by
  if (branch >= 0 && branch < branchesOf(step).length) return branchId(own.stepId, branch)
  return by === -1 ? own.stepId : besideOf(own.stepId, by, tree)
}
