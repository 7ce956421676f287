import { useCallback, useState } from 'react'
import { canRemoveBranch, duplicateBranch, removeBranch, shiftBranch } from './branches.ts'
import type { Selected } from './canvas-context.ts'
import type { AutomationDraft, EditAction } from './draft.ts'
import {
  branchesOf,
  branchId,
  copySteps,
  listAt,
  parseBranchId,
  type Place,
  ROOT,
  type TreeIndex,
} from './step-tree.ts'
import { type ConditionStep, newStep, type SplitStep, type Step, type StepType } from './steps.ts'

/** Copied steps, also for other automations of this window. */
let clipboard: readonly Step[] = []

/** A branch that belongs to a condition or a split. */
interface OwnBranch {
  step: ConditionStep | SplitStep
  branch: number
}

/** The actions that are possible on the selection. */
interface SelectionActions {
  /** Whether it is a step or a branch with a name. */
  canDelete: boolean
  canDuplicate: boolean
  /** Whether it has steps to copy. */
  canCopy: boolean
  /** Directions in which a branch can be moved. */
  branchMoves: { left: boolean; right: boolean } | undefined
}

/** The actions on steps and branches, for the mouse and the keyboard. */
export function useStepActions({
  sequence,
  tree,
  selected,
  act,
  select,
  focusInvalid,
}: {
  sequence: AutomationDraft
  tree: TreeIndex
  selected: Selected
  act: (act: EditAction) => void
  select: (selected: Selected) => void
  /** Focuses an invalid field, if there is one: leaving the step would lose its text. */
  focusInvalid: () => boolean
}) {
  const { steps } = sequence
  const [lastAdded, setLastAdded] = useState<{ id: string; isSelected: boolean }>()
  // An added step gets the focus when it is selected for the first time, not when the selection returns to it.
  if (lastAdded && lastAdded.isSelected !== (lastAdded.id === selected))
    setLastAdded(lastAdded.isSelected ? undefined : { ...lastAdded, isSelected: true })
  const [canPaste, setCanPaste] = useState(clipboard.length > 0)
  const insert = useCallback(
    (added: readonly Step[], place: Place) => {
      const [first] = added
      if (!first || focusInvalid()) return
      act({ do: 'change', change: { do: 'insert', steps: added, place } })
      select(first.id)
    },
    [act, select, focusInvalid],
  )
  const add = useCallback(
    (type: StepType, place: Place) => {
      const created = newStep(type)
      setLastAdded({ id: created.id, isSelected: false })
      insert([created], place)
    },
    [insert],
  )
  const move = useCallback((id: string, to: Place) => act({ do: 'change', change: { do: 'move', id, to } }), [act])

  /** The place after the selection, or at the beginning of a selected branch. */
  const placeAfter = (id: Selected): Place => {
    const place = tree.find(id)?.place
    if (place) return { ...place, at: place.at + 1 }
    const branch = parseBranchId(id)
    if (branch) return { parent: branch.stepId, branch: branch.branch, at: 0 }
    return { ...ROOT, at: id === 'end' ? steps.length : 0 }
  }
  const ownBranch = (id: Selected): OwnBranch | undefined => {
    const parsed = parseBranchId(id)
    const step = parsed && tree.find(parsed.stepId)?.step
    if (step?.type !== 'CONDITION' && step?.type !== 'SPLIT') return undefined
    return branchesOf(step)[parsed!.branch]?.isOwn ? { step, branch: parsed!.branch } : undefined
  }
  const stepsOf = (id: Selected): readonly Step[] => {
    const found = tree.find(id)
    if (found) return [found.step]
    const branch = parseBranchId(id)
    return branch ? listAt(steps, tree, { parent: branch.stepId, branch: branch.branch }) : []
  }
  const editBranches = ({ step }: OwnBranch, fields: ReturnType<typeof shiftBranch>) => {
    if (fields) act({ do: 'change', change: { do: 'edit', id: step.id, fields, group: crypto.randomUUID() } })
  }

  const remove = (id: Selected) => {
    const found = tree.find(id)
    if (found) {
      const { place } = found
      const list = listAt(steps, tree, place)
      const beside = list[place.at + 1] ?? list[place.at - 1]
      act({ do: 'change', change: { do: 'remove', id } })
      return select(beside?.id ?? (place.parent === null ? 'trigger' : branchId(place.parent, place.branch)))
    }
    const own = ownBranch(id)
    if (!own || !canRemoveBranch(own.step)) return
    editBranches(own, removeBranch(own.step, own.branch))
    select(own.step.id)
  }
  const duplicate = (id: Selected) => {
    const found = tree.find(id)
    if (found) return insert(copySteps([found.step]), placeAfter(id))
    const own = ownBranch(id)
    if (!own || focusInvalid()) return
    editBranches(own, duplicateBranch(own.step, own.branch))
    select(branchId(own.step.id, own.branch + 1))
  }
  const copy = (id: Selected) => {
    const copied = stepsOf(id)
    if (copied.length === 0) return
    clipboard = copied
    setCanPaste(true)
  }
  const paste = (place: Place) => insert(copySteps(clipboard), place)
  const shift = (id: Selected, by: 1 | -1) => {
    if (tree.find(id)) act({ do: 'change', change: { do: 'shift', id, by } })
  }
  const moveBranch = (id: Selected, by: 1 | -1) => {
    const own = ownBranch(id)
    const fields = own && shiftBranch(own.step, own.branch, by)
    if (!own || !fields) return
    editBranches(own, fields)
    select(branchId(own.step.id, own.branch + by))
  }
  const own = ownBranch(selected)
  const isStep = tree.find(selected) !== undefined
  const possible: SelectionActions = {
    canDelete: isStep || (own !== undefined && canRemoveBranch(own.step)),
    canDuplicate: isStep || own !== undefined,
    canCopy: stepsOf(selected).length > 0,
    branchMoves: own && { left: own.branch > 0, right: own.branch < own.step.branches.length - 1 },
  }
  return {
    add,
    move,
    remove,
    duplicate,
    copy,
    paste,
    shift,
    moveBranch,
    placeAfter,
    newId: lastAdded?.id,
    canPaste,
    possible,
  }
}

export type StepActions = ReturnType<typeof useStepActions>
