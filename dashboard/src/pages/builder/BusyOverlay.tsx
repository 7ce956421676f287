import { useEffect, useRef } from 'react'
import classes from './Builder.module.css'

/** Returns a label by which a recreated element can be found again. */
const labelOf = (element: Element | null): string | null => element?.getAttribute('aria-label') ?? null

/** Covers the page and captures the keyboard while the automation is published or reloaded. Edits made then would be lost. */
export function BusyOverlay() {
  const layer = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const name = labelOf(before)
    layer.current?.focus()
    return () => {
      // After the page has been rerendered.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const again = name === null ? null : document.querySelector<HTMLElement>(`[aria-label="${CSS.escape(name)}"]`)
        const back = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : again
        ;(back ?? document.querySelector<HTMLElement>('[aria-label="More actions"]'))?.focus()
      }, 50)
    }
  }, [])
  return (
    <div
      ref={layer}
      className={classes.busy}
      role="dialog"
      aria-modal
      aria-label="Please wait"
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Tab' && event.preventDefault()}
    >
      <p role="status">Saving…</p>
    </div>
  )
}
