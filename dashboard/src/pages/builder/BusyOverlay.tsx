import { useEffect, useRef } from 'react'
import classes from './Builder.module.css'

/** What something is called on the page, by which it is found again where it is made anew. */
const labelOf = (element: Element | null): string | null => element?.getAttribute('aria-label') ?? null

/** Lies over the page while what is edited is being read or published: what is typed then would be in neither, and is no order either. */
export function BusyOverlay() {
  const layer = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const name = labelOf(before)
    layer.current?.focus()
    return () => {
      // Behind what is made anew.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const again = name === null ? null : document.querySelector<HTMLElement>(`[aria-label="${CSS.escape(name)}"]`)
        const back = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : again
        ;(back ?? document.querySelector<HTMLElement>('[aria-label="More"]'))?.focus()
      }, 50)
    }
  }, [])
  return (
    <div
      ref={layer}
      className={classes.busy}
      role="dialog"
      aria-modal
      aria-label="One moment"
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Tab' && event.preventDefault()}
    >
      <p role="status">Asking the service …</p>
    </div>
  )
}
