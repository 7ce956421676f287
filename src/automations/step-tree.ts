import { childrenOf, type StepInput } from './steps/index.ts'

/** A step of a request, with its place. */
export interface PlacedInput {
  step: StepInput
  /** Its place for errors: `steps[2].branches[0].steps[1]`. */
  path: string
  /** Its place as a JSON pointer: `/steps/2/branches/0/steps/1`. */
  pointer: string
  /** The branch that contains it: the step with the branch, as an index of the list, and the branch's name. */
  in?: { parent: number; branch: string }
}

/** Lists the steps of a tree, each before those of its branches. */
export function flattenSteps(steps: readonly StepInput[]): PlacedInput[] {
  const list: PlacedInput[] = []
  const add = (items: readonly StepInput[], path: string, place?: PlacedInput['in']) => {
    for (const [index, step] of items.entries()) {
      const at = `${path}[${index}]`
      const parent = list.length
      list.push({ step, path: at, pointer: pointerOf(at), ...(place && { in: place }) })
      for (const branch of childrenOf(step))
        add(branch.steps, `${at}.${branch.path}`, { parent, branch: branch.branch })
    }
  }
  add(steps, 'steps')
  return list
}

const pointerOf = (path: string): string => `/${path.replaceAll('[', '/').replaceAll(']', '').replaceAll('.', '/')}`

/** The depth of the deepest branch; 0 for a list without branches. */
export const branchDepth = (steps: readonly PlacedInput[]): number => {
  const depths: number[] = []
  for (const { in: place } of steps) depths.push(place ? depths[place.parent]! + 1 : 0)
  return Math.max(0, ...depths)
}
