import { newId, type Step } from './steps.ts'

/** One branch of a step, whatever the step's type. */
export interface Branch {
  name: string
  /** As the server names it: its position, `else`, `received` or `timedOut`. */
  key: string
  steps: readonly Step[]
  /** Whether the branch can be renamed, moved and deleted. */
  isOwn: boolean
}

const NONE: readonly Branch[] = []
const cache = new WeakMap<Step, readonly Branch[]>()

/** The branches of a step, from left to right. */
export function branchesOf(step: Step): readonly Branch[] {
  if (step.type !== 'CONDITION' && step.type !== 'SPLIT' && step.type !== 'WAIT_FOR_EVENT') return NONE
  const cached = cache.get(step)
  if (cached) return cached
  const branches = readBranches(step)
  cache.set(step, branches)
  return branches
}

function readBranches(step: Step): readonly Branch[] {
  if (step.type === 'WAIT_FOR_EVENT')
    return [
      { name: 'Received', key: 'received', steps: step.received, isOwn: false },
      { name: 'Timed out', key: 'timedOut', steps: step.timedOut, isOwn: false },
    ]
  if (step.type !== 'CONDITION' && step.type !== 'SPLIT') return NONE
  const own = step.branches.map(({ name, steps }, n) => ({ name, key: String(n), steps, isOwn: true }))
  return step.type === 'CONDITION' ? [...own, { name: 'Otherwise', key: 'else', steps: step.else, isOwn: false }] : own
}

/** Replaces the steps of a branch. */
function withBranchSteps(step: Step, branch: number, steps: readonly Step[]): Step {
  if (step.type === 'WAIT_FOR_EVENT') return branch === 0 ? { ...step, received: steps } : { ...step, timedOut: steps }
  if (step.type === 'CONDITION') {
    const own = step.branches[branch]
    return own ? { ...step, branches: step.branches.with(branch, { ...own, steps }) } : { ...step, else: steps }
  }
  const own = step.type === 'SPLIT' ? step.branches[branch] : undefined
  return step.type === 'SPLIT' && own ? { ...step, branches: step.branches.with(branch, { ...own, steps }) } : step
}

/** A list of steps: the outermost one, or one of a branch. */
export interface ListRef {
  /** The step with the branch; `null` for the outermost list. */
  parent: string | null
  branch: number
}

/** A place in the tree: before the step at this position, or at the end of the list. */
export interface Place extends ListRef {
  at: number
}

export const ROOT: ListRef = { parent: null, branch: 0 }
export const placeKey = ({ parent, branch, at }: Place): string => `${parent ?? ''}/${branch}/${at}`

/** The ID of a branch in the selection. */
export const branchId = (stepId: string, branch: number): string => `${stepId}/${branch}`

/** Parses the ID of a branch. @returns `undefined` for other IDs */
export function parseBranchId(id: string): { stepId: string; branch: number } | undefined {
  const at = id.lastIndexOf('/')
  return at === -1 ? undefined : { stepId: id.slice(0, at), branch: Number(id.slice(at + 1)) }
}

export interface Located {
  step: Step
  place: Place
  /** One-based, in reading order. */
  number: number
}

/** The tree by ID, and in reading order. */
export interface TreeIndex {
  /** Returns a step and where it is. */
  find: (id: string) => Located | undefined
  /** The IDs of steps and branches, each step before its branches. */
  order: readonly string[]
  count: number
}

export function indexTree(steps: readonly Step[]): TreeIndex {
  const found = new Map<string, Located>()
  const order: string[] = []
  const walk = (list: readonly Step[], ref: ListRef) => {
    for (const [at, step] of list.entries()) {
      found.set(step.id, { step, place: { ...ref, at }, number: found.size + 1 })
      order.push(step.id)
      for (const [branch, { steps: inner }] of branchesOf(step).entries()) {
        order.push(branchId(step.id, branch))
        walk(inner, { parent: step.id, branch })
      }
    }
  }
  walk(steps, ROOT)
  return { find: (id) => found.get(id), order, count: found.size }
}

/** The steps of a list. */
export function listAt(steps: readonly Step[], tree: TreeIndex, { parent, branch }: ListRef): readonly Step[] {
  if (parent === null) return steps
  const step = tree.find(parent)?.step
  return (step && branchesOf(step)[branch]?.steps) ?? []
}

/** Replaces one list of a tree. */
function withList(
  steps: readonly Step[],
  ref: ListRef,
  change: (list: readonly Step[]) => readonly Step[],
): readonly Step[] {
  if (ref.parent === null) return change(steps)
  return mapStep(steps, ref.parent, (step) => {
    const list = branchesOf(step)[ref.branch]?.steps
    return list ? withBranchSteps(step, ref.branch, change(list)) : step
  })
}

/** Replaces one step of a tree. Parts that do not change keep their identity. */
export function mapStep(steps: readonly Step[], id: string, change: (step: Step) => Step): readonly Step[] {
  for (const [at, step] of steps.entries()) {
    if (step.id === id) {
      const changed = change(step)
      return changed === step ? steps : steps.with(at, changed)
    }
    for (const [branch, { steps: inner }] of branchesOf(step).entries()) {
      const changed = mapStep(inner, id, change)
      if (changed !== inner) return steps.with(at, withBranchSteps(step, branch, changed))
    }
  }
  return steps
}

export const insertSteps = (steps: readonly Step[], place: Place, added: readonly Step[]): readonly Step[] =>
  withList(steps, place, (list) => list.toSpliced(place.at, 0, ...added))

export const removeStep = (steps: readonly Step[], place: Place): readonly Step[] =>
  withList(steps, place, (list) => list.toSpliced(place.at, 1))

/** Checks whether a list is inside a step. */
export function isInside(tree: TreeIndex, { parent }: ListRef, stepId: string): boolean {
  for (let at = parent; at !== null; at = tree.find(at)?.place.parent ?? null) if (at === stepId) return true
  return false
}

/** Moves a step with its branches to a place. The same steps if the place is inside the step. */
export function moveStep(steps: readonly Step[], id: string, to: Place): readonly Step[] {
  const tree = indexTree(steps)
  const from = tree.find(id)
  if (!from || isInside(tree, to, id)) return steps
  const { step, place } = from
  const isSameList = place.parent === to.parent && place.branch === to.branch
  if (isSameList && (to.at === place.at || to.at === place.at + 1)) return steps
  const at = isSameList && to.at > place.at ? to.at - 1 : to.at
  return insertSteps(removeStep(steps, place), { ...to, at }, [step])
}

/** All places of a tree in reading order. */
function placesOf(steps: readonly Step[], ref: ListRef = ROOT): Place[] {
  return [
    { ...ref, at: 0 },
    ...steps.flatMap((step, at) => [
      ...branchesOf(step).flatMap(({ steps: inner }, branch) => placesOf(inner, { parent: step.id, branch })),
      { ...ref, at: at + 1 },
    ]),
  ]
}

/** Moves a step to the next or previous place in reading order, which may be in another branch. */
export function shiftStep(steps: readonly Step[], id: string, by: 1 | -1): readonly Step[] {
  const from = indexTree(steps).find(id)
  if (!from) return steps
  const rest = removeStep(steps, from.place)
  const places = placesOf(rest)
  const key = placeKey(from.place)
  const to = places[places.findIndex((place) => placeKey(place) === key) + by]
  return to ? insertSteps(rest, to, [from.step]) : steps
}

/** Copies steps with new IDs. References between them follow; names are unique and are not copied. */
export function copySteps(steps: readonly Step[]): Step[] {
  let json = JSON.stringify(steps)
  for (const id of indexTree(steps).order) if (!id.includes('/')) json = json.replaceAll(id, newId())
  const withoutNames = (list: readonly Step[]): Step[] =>
    list.map((step) =>
      branchesOf(step).reduce<Step>(
        (copy, { steps: inner }, branch) => withBranchSteps(copy, branch, withoutNames(inner)),
        { ...step, name: null },
      ),
    )
  return withoutNames(JSON.parse(json) as Step[])
}

/** Finds the step that a JSON pointer of an error is about: `/steps/2/branches/0/steps/1`. */
export function stepAtPointer(steps: readonly Step[], pointer: string): Step | undefined {
  const at = /^\/(?:steps|received|timedOut|else)\/(?<index>\d+)/.exec(pointer)
  const step = at?.groups ? steps[Number(at.groups['index'])] : undefined
  if (!at || !step) return undefined
  const rest = pointer.slice(at[0].length)
  const own = /^\/branches\/(?<branch>\d+)(?<inner>\/steps\/.*)/.exec(rest)?.groups
  if (own) return stepAtPointer(branchesOf(step)[Number(own['branch'])]?.steps ?? [], own['inner']!) ?? step
  const names = step.type === 'WAIT_FOR_EVENT' ? ['received', 'timedOut'] : []
  const fixed =
    step.type === 'CONDITION' && rest.startsWith('/else/')
      ? step.branches.length
      : names.findIndex((name) => rest.startsWith(`/${name}/`))
  return (fixed >= 0 ? stepAtPointer(branchesOf(step)[fixed]?.steps ?? [], rest) : undefined) ?? step
}
