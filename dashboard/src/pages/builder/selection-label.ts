import type { Names } from '../../components/conditions/describe-condition.ts'
import type { Selected } from './canvas-context.ts'
import { branchSentence, titleOf } from './describe-step.ts'
import type { AutomationDraft } from './draft.ts'
import { problemOf } from './problems.ts'
import { branchesOf, type ListRef, parseBranchId, type TreeIndex } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'

/** Describes a node for screen readers: "Step 3, condition: plan is pro? 2 branches". */
export function labelOf(id: Selected, { steps }: AutomationDraft, tree: TreeIndex, names: Names): string {
  const found = tree.find(id)
  if (found) {
    const { step, number, place } = found
    const branches = branchesOf(step).length
    const type = STEP_TYPES[step.type].label.toLowerCase()
    const where = place.parent === null ? '' : `, in branch ${branchName(place, tree)}`
    const problem = problemOf(step)
    return (
      `Step ${number}${where}, ${type}: ${titleOf(step, names)}${branches > 0 ? `, ${branches} branches` : ''}` +
      (problem === undefined ? '' : `. ${problem}`)
    )
  }
  const own = parseBranchId(id)
  const parent = own && tree.find(own.stepId)
  if (parent) {
    const branches = branchesOf(parent.step)
    const branch = branches[own.branch]
    const sentence = branchSentence(parent.step, own.branch, names)
    return (
      `Branch ${own.branch + 1} of ${branches.length} of step ${parent.number}: ${branch?.name ?? ''}` +
      `${sentence === undefined ? '' : `, ${sentence}`}${branch?.steps.length === 0 ? ', no steps' : ''}`
    )
  }
  return id === 'end' ? 'End' : steps.length === 0 ? 'Trigger, no steps' : 'Trigger'
}

/** The name of a branch by its place. */
function branchName({ parent, branch }: ListRef, tree: TreeIndex): string {
  const step = parent === null ? undefined : tree.find(parent)?.step
  return (step && branchesOf(step)[branch]?.name) ?? ''
}
