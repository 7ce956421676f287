/**
 * The order of steps. A version stores its tree of steps as a flat list: each step before those of its branches, and those before
 * the steps that follow the branches. On any path through the tree, positions in the list only grow.
 */

/** The place of a stored step in the tree. A step without `in` is at the top level. */
export interface Placed {
  id: string
  in?: BranchRef
}

/** A branch of a step. */
export interface BranchRef {
  step: string
  branch: string
}

/** The successors of a step, as far as they differ from the next step of the list. */
export interface Successors {
  /** The ID of the step that follows; `null` at the end of the automation. Absent if it is the next one of the list. */
  next?: string | null
  /** The ID of the first step of each branch; `null` if the automation ends there. Only for steps with branches. */
  branchStarts?: Record<string, string | null>
}

/**
 * Computes the successors of each step. The last step of a branch is followed by the step after the branches.
 *
 * @param branchesOf returns the names of a step's branches; none for most steps
 */
export function successorsOf<Step extends Placed>(
  steps: readonly Step[],
  branchesOf: (step: Step) => readonly string[],
): Successors[] {
  const lists = new Map<string, string[]>()
  for (const step of steps) {
    const key = listKey(step.in)
    lists.set(key, [...(lists.get(key) ?? []), step.id])
  }
  const byId = new Map(steps.map((step) => [step.id, step]))
  const following = new Map<string, string | null>()
  const followerOf = (step: Step): string | null => {
    const known = following.get(step.id)
    if (known !== undefined) return known
    const list = lists.get(listKey(step.in))!
    const sibling = list[list.indexOf(step.id) + 1]
    const parent = step.in && byId.get(step.in.step)
    const follower = sibling ?? (parent ? followerOf(parent) : null)
    following.set(step.id, follower)
    return follower
  }
  return steps.map((step, position) => {
    const follower = followerOf(step)
    const names = branchesOf(step)
    const first = (branch: string) => lists.get(listKey({ step: step.id, branch }))?.[0] ?? follower
    return {
      ...(follower !== (steps[position + 1]?.id ?? null) && { next: follower }),
      ...(names.length > 0 && { branchStarts: Object.fromEntries(names.map((branch) => [branch, first(branch)])) }),
    }
  })
}

const listKey = (of: BranchRef | undefined): string => (of ? `${of.step} ${of.branch}` : '')

/** The position of the step that follows the one at `position`; the number of steps at the end. */
export function successorOf(steps: readonly (Successors & { id: string })[], position: number): number {
  const next = steps[position]?.next
  return next === undefined ? position + 1 : positionOfId(steps, next)
}

/** The position of the first step of a branch; the number of steps if the automation ends there. */
export function branchStart(steps: readonly (Successors & { id: string })[], position: number, branch: string): number {
  const first = steps[position]?.branchStarts?.[branch]
  return first === undefined ? successorOf(steps, position) : positionOfId(steps, first)
}

function positionOfId(steps: readonly { id: string }[], id: string | null): number {
  const position = id === null ? -1 : steps.findIndex((step) => step.id === id)
  return position === -1 ? steps.length : position
}
