import type { Schemas } from '../../api/client.ts'
import type { Names } from '../../components/conditions/describe-condition.ts'
import type { Selected } from './canvas-context.ts'
import type { AutomationDraft } from './draft.ts'
import type { StepStats } from './step-stats.ts'
import type { Place, TreeIndex } from './step-tree.ts'

/** An automation as the canvas and the outline show it, and the actions that the user can take there. */
export interface CanvasProps {
  sequence: AutomationDraft
  tree: TreeIndex
  names: Names
  /** Label of the trigger. */
  starts: string
  selected: Selected
  onSelect: (selected: Selected) => void
  /** Opens the menu of steps to add. Present if the draft can be edited. */
  onAdd?: ((place: Place, anchor: DOMRect) => void) | undefined
  /** Opens the menu of actions on a step or branch. */
  onActions?: ((id: Selected, anchor: DOMRect) => void) | undefined
  onMove?: ((id: string, to: Place) => void) | undefined
  /** Edits a step: its email on the canvas, or its first field. */
  onEdit?: ((id: Selected) => void) | undefined
  /** Present in the stats view. */
  numbers?: CanvasStats | undefined
}

export type CanvasStats = Schemas['AutomationStats'] & {
  of: (stepId: string) => StepStats | undefined
}
