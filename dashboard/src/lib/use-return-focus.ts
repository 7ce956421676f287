import { useEffect, useState } from 'react'

/**
 * Returns the focus to the element that opened a form when the form closes.
 *
 * @param isOpened false for a form that is always open: it goes with its page, and the next page takes the focus
 */
export function useReturnFocus(isOpened = true): void {
  // Captured during the first render, before the form focuses a field of its own.
  const [before] = useState(() => openerOf(document.activeElement))
  useEffect(
    () => () => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      // The pressed button may be gone. Act only if nothing else has the focus.
      requestAnimationFrame(() => {
        const now = document.activeElement
        if (isOpened && (isLost || now === document.body) && before instanceof HTMLElement && before.isConnected)
          before.focus()
      })
    },
    [before, isOpened],
  )
}

/** An item of a menu disappears with its menu, so the button of the menu stands for it. */
function openerOf(element: Element | null): Element | null {
  const label = element?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return (label == null ? null : document.getElementById(label)) ?? element
}
