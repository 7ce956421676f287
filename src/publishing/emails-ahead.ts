import { branchStart, type MachineState, type StoredStep, successorOf } from '../automation-engine/index.ts'

const remembered = new WeakMap<readonly StoredStep[], Map<number, number>>()

/** Returns how many emails a sequence can still send at most, whichever branches it takes. */
export function emailsAhead(steps: readonly StoredStep[], { stepId }: Pick<MachineState, 'stepId'>): number {
  const known = remembered.get(steps) ?? new Map<number, number>()
  remembered.set(steps, known)
  const from = (position: number): number => {
    const step = steps[position]
    if (!step) return 0
    const count =
      known.get(position) ??
      Number(step.type === 'EMAIL') +
        (step.type === 'EXIT' ? 0 : Math.max(...followers(steps, position).map((next) => from(next))))
    known.set(position, count)
    return count
  }
  const position = steps.findIndex(({ id }) => id === stepId)
  return position === -1 ? 0 : from(position)
}

const followers = (steps: readonly StoredStep[], position: number): number[] => {
  const branches = Object.keys(steps[position]!.branchStarts ?? {})
  return branches.length === 0
    ? [successorOf(steps, position)]
    : branches.map((branch) => branchStart(steps, position, branch))
}
