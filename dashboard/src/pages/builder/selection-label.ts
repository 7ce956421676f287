import type { Names } from '../../components/conditions/describe-condition.ts'
import type { Selected } from './canvas-context.ts'
import { branchSentence, titleOf } from './describe-step.ts'
import type { AutomationDraft } from './draft.ts'
import { problemOf } from './problems.ts'
import { branchesOf, listAt, type ListRef, parseBranchId, type Place, type TreeIndex } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'
import type { Step } from './steps.ts'

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

/** Names a button that adds a step, by the step before it. The name does not depend on what fields contain. */
export function addLabelOf(place: Place, steps: readonly Step[], tree: TreeIndex): string {
  const { parent, branch, at } = place
  const before = listAt(steps, tree, place)[at - 1]
  if (before) return `Add step after step ${tree.find(before.id)?.number}`
  const outer = parent === null ? undefined : tree.find(parent)
  return `Add step at the start${outer ? ` of branch ${branch + 1} of step ${outer.number}` : ''}`
}

/** The name of a branch by its place. */
function branchName({ parent, branch }: ListRef, tree: TreeIndex): string {
  const step = parent === null ? undefined : tree.find(parent)?.step
  return (step && branchesOf(step)[branch]?.name) ?? ''
}
