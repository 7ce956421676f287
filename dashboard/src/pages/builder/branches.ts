import { newCondition } from '../../components/conditions/condition.ts'
import type { ConditionStep, SplitStep, StepFields } from './steps.ts'
import { copySteps } from './step-tree.ts'

/** The maximum number of branches of a step. */
export const MAX_BRANCHES = 20

type Branching = ConditionStep | SplitStep
type AnyBranch = Branching['branches'][number]

const setBranches = (branches: readonly AnyBranch[]): StepFields => ({ branches }) as StepFields
const branchesIn = ({ branches }: Branching): readonly AnyBranch[] => branches

function nextName(branches: readonly { name: string }[], base: (n: number) => string): string {
  for (let n = branches.length + 1; ; n += 1) if (!branches.some(({ name }) => name === base(n))) return base(n)
}

export const addBranch = (step: Branching): StepFields => setBranches([...step.branches, newBranch(step)])

const newBranch = ({ type, branches }: Branching): AnyBranch =>
  type === 'CONDITION'
    ? { name: nextName(branches, (n) => `Branch ${n}`), if: newCondition(), steps: [] }
    : { name: nextName(branches, (n) => String.fromCharCode(64 + n)), weight: 50, steps: [] }

export const renameBranch = (step: Branching, at: number, name: string): StepFields => editBranch(step, at, { name })

export const editBranch = (step: Branching, at: number, fields: object): StepFields =>
  setBranches(branchesIn(step).map((branch, n) => (n === at ? { ...branch, ...fields } : branch)))

export const removeBranch = (step: Branching, at: number): StepFields =>
  setBranches(branchesIn(step).filter((_, n) => n !== at))

/** Adds a copy of a branch with its steps next to it. */
export function duplicateBranch(step: Branching, at: number): StepFields {
  const branch = step.branches[at]!
  const copy = {
    ...branch,
    name: nextName(step.branches, (n) => `${branch.name} ${n}`),
    steps: copySteps(branch.steps),
  }
  return setBranches(branchesIn(step).toSpliced(at + 1, 0, copy))
}

/** Moves a branch one position to the left or right. @returns `undefined` if there is no branch to swap it with */
export function shiftBranch(step: Branching, at: number, by: 1 | -1): StepFields | undefined {
  const branches = branchesIn(step)
  const other = branches[at + by]
  return other && setBranches(branches.with(at + by, branches[at]!).with(at, other))
}

/** Checks whether a branch can be deleted: a split needs two, a condition needs one. */
export const canRemoveBranch = (step: Branching): boolean => step.branches.length > (step.type === 'SPLIT' ? 2 : 1)
