import { useEffect, useState } from 'react'

/** Whoever has opened something by keyboard is back where they were when it closes. */
export function useReturnFocus(): void {
  // While it is made: what it focuses itself comes later.
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      // What was pressed may be gone by now, and nothing else may be meant.
      requestAnimationFrame(() => {
        const now = document.activeElement
        if ((isLost || now === document.body) && before instanceof HTMLElement && before.isConnected) before.focus()
      })
    },
    [before],
  )
}
