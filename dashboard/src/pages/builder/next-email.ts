import { branchesOf, listAt, type TreeIndex } from './step-tree.ts'
import type { Step } from './steps.ts'

/** Checks whether contacts who continue after a step can get an email before the next wait. */
export function canEmailAfter(id: string, steps: readonly Step[], tree: TreeIndex): boolean {
  const step = tree.find(id)?.step
  const timedOut = step?.type === 'WAIT_FOR_EVENT' ? reaches(step.timedOut) : 'end'
  if (timedOut !== 'end') return timedOut === 'email'
  return canEmailFromPlace(id, steps, tree, 1)
}

/** Checks whether contacts who continue at a step can get an email before the next wait. */
export const canEmailFrom = (id: string, steps: readonly Step[], tree: TreeIndex): boolean =>
  canEmailFromPlace(id, steps, tree, 0)

function canEmailFromPlace(id: string, steps: readonly Step[], tree: TreeIndex, skipped: 0 | 1): boolean {
  const place = tree.find(id)?.place
  if (!place) return false
  const reached = reaches(listAt(steps, tree, place).slice(place.at + skipped))
  if (reached !== 'end') return reached === 'email'
  return place.parent !== null && canEmailFromPlace(place.parent, steps, tree, 1)
}

/** The first thing that contacts can reach in a list of steps. An email in one of several branches counts. */
function reaches(steps: readonly Step[]): 'email' | 'stop' | 'end' {
  for (const step of steps) {
    if (step.type === 'EMAIL') return 'email'
    if (step.type === 'WAIT' || step.type === 'WAIT_UNTIL' || step.type === 'WAIT_FOR_EVENT' || step.type === 'EXIT')
      return 'stop'
    const inside = branchesOf(step).map((branch) => reaches(branch.steps))
    if (inside.includes('email')) return 'email'
    if (inside.length > 0 && !inside.includes('end')) return 'stop'
  }
  return 'end'
}
