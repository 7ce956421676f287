import { type RefObject, useCallback, useState } from 'react'
import type { Selected } from './canvas-context.ts'
import { designedStep } from './designed-step.ts'
import { focusFirstField } from './focus-first-field.ts'
import type { TreeIndex } from './step-tree.ts'

/** Opens the canvas for the selected email of blocks. */
export function useStepDesigner({
  tree,
  selected,
  canEdit,
  aside,
}: {
  tree: TreeIndex
  selected: Selected
  canEdit: boolean
  aside: RefObject<HTMLElement | null>
}) {
  /** The email whose button opened the canvas, while it is open. */
  const [designedFrom, setDesignedFrom] = useState<Selected>()
  const design = useCallback(() => setDesignedFrom(selected), [selected])
  return {
    isDesigning: designedFrom !== undefined && canEdit && designedStep(tree, selected) !== undefined,
    design,
    closeDesigner: () => {
      setDesignedFrom(undefined)
      // The focus returns to the button, unless another email is selected by now.
      if (designedFrom !== selected) requestAnimationFrame(() => focusFirstField(aside.current))
    },
    /** Opens an email of blocks on the canvas; otherwise focuses the first field. */
    editStep: (id: Selected) => {
      if (canEdit && designedStep(tree, id)) setDesignedFrom(id)
      else focusFirstField(aside.current)
    },
  }
}
