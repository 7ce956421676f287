import { useCallback, useState } from 'react'
import type { Adding } from './AddStepMenu.tsx'
import type { Selected } from './canvas-context.ts'

/** The menu that is open, and where. */
type OpenMenu = ({ kind: 'add' } & Adding) | { kind: 'actions'; id: Selected; anchor: DOMRect }

/** Opens the menu of steps to add, or the menu of actions on a step. */
export function useBuilderMenus({
  select,
  focusInvalid,
}: {
  select: (selected: Selected) => void
  focusInvalid: () => boolean
}) {
  const [menu, setMenu] = useState<OpenMenu>()
  const openAdd = useCallback((place: Adding['place'], anchor: DOMRect) => setMenu({ kind: 'add', place, anchor }), [])
  const openActions = useCallback(
    (id: Selected, anchor: DOMRect) => {
      if (focusInvalid()) return
      select(id)
      setMenu({ kind: 'actions', id, anchor })
    },
    [focusInvalid, select],
  )
  return {
    menu,
    openAdd,
    openActions,
    // A menu that closes late must not close the next one.
    closeMenu: () => setMenu((now) => (now === menu ? undefined : now)),
  }
}

/** Returns where a menu for the selection opens: next to its node, or in the middle of the page. */
export function anchorOf(selected: Selected): DOMRect {
  const node = document.querySelector(`[data-id="${CSS.escape(selected)}"]`)
  return node?.getBoundingClientRect() ?? new DOMRect(innerWidth / 2, innerHeight / 3, 0, 0)
}
