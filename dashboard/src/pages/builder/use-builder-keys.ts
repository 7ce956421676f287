import { useHotkeys } from '@mantine/hooks'
import type { Selected } from './canvas-context.ts'
import type { EditAction } from './draft.ts'
import { type Direction, neighborOf } from './neighbors.ts'
import type { TreeIndex } from './step-tree.ts'
import type { StepActions } from './use-step-actions.ts'

/** Menus, dialogs and lists handle their own keys. */
const hasOwnKeys = (): boolean => document.activeElement?.closest('[role=menu], [role=dialog], [role=listbox]') != null

/** Enter presses the focused control instead. */
const isControlFocused = (): boolean => document.activeElement?.closest('button, a, [role=button], summary') != null

const hasSelectedText = (): boolean => (getSelection()?.toString() ?? '') !== ''

/** The keyboard shortcuts of the builder. */
export function useBuilderKeys({
  tree,
  selected,
  actions,
  act,
  canEdit,
  selectIfValid,
  onAdd,
  onActions,
  onEdit,
  onPause,
  onView,
}: {
  tree: TreeIndex
  selected: Selected
  actions: StepActions
  act: (act: EditAction) => void
  canEdit: boolean
  selectIfValid: (selected: Selected) => void
  /** Opens the menu of steps to add. */
  onAdd: () => void
  /** Opens the menu of actions on the selection. */
  onActions: () => void
  /** Opens the design of a selected email; otherwise focuses the first field of the selection. */
  onEdit: () => void
  onPause: () => void
  onView: (view: 'edit' | 'numbers') => void
}): void {
  const ifFree = (run: () => void) => () => {
    if (!hasOwnKeys()) run()
  }
  const ifEditing = (run: () => void) =>
    ifFree(() => {
      if (canEdit) run()
    })
  const walk = (direction: Direction) => ifFree(() => selectIfValid(neighborOf(selected, direction, tree)))
  const { possible, placeAfter } = actions
  const remove = ifEditing(() => possible.canDelete && actions.remove(selected))
  // Copies text instead if some is selected.
  const clip = (run: () => void) => (event: KeyboardEvent) => {
    if (hasSelectedText() || hasOwnKeys()) return
    event.preventDefault()
    run()
  }
  const isKept = { preventDefault: false }
  useHotkeys([
    ['ArrowDown', walk('down')],
    ['ArrowUp', walk('up')],
    ['ArrowLeft', walk('left')],
    ['ArrowRight', walk('right')],
    ['a', ifEditing(onAdd)],
    ['e', ifEditing(() => actions.add('EMAIL', placeAfter(selected)))],
    ['w', ifEditing(() => actions.add('WAIT', placeAfter(selected)))],
    ['d', ifEditing(() => possible.canDuplicate && actions.duplicate(selected))],
    ['m', ifEditing(onActions)],
    [
      'Enter',
      (event) => {
        if (hasOwnKeys() || isControlFocused()) return
        event.preventDefault()
        onEdit()
      },
      isKept,
    ],
    ['Delete', remove],
    ['Backspace', remove],
    ['alt+ArrowDown', ifEditing(() => actions.shift(selected, 1))],
    ['alt+ArrowUp', ifEditing(() => actions.shift(selected, -1))],
    ['alt+ArrowLeft', ifEditing(() => actions.moveBranch(selected, -1))],
    ['alt+ArrowRight', ifEditing(() => actions.moveBranch(selected, 1))],
    ['mod+c', clip(() => actions.copy(selected)), isKept],
    [
      'mod+x',
      clip(() => {
        if (!canEdit || !tree.find(selected)) return
        actions.copy(selected)
        actions.remove(selected)
      }),
      isKept,
    ],
    ['mod+v', clip(() => canEdit && actions.canPaste && actions.paste(placeAfter(selected))), isKept],
    ['p', ifFree(onPause)],
    ['mod+z', ifEditing(() => act({ do: 'undo' }))],
    ['mod+shift+z', ifEditing(() => act({ do: 'redo' }))],
    ['mod+y', ifEditing(() => act({ do: 'redo' }))],
    ['1', ifFree(() => onView('edit'))],
    ['2', ifFree(() => onView('numbers'))],
  ])
}
