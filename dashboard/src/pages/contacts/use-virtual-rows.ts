import { type RefObject, useLayoutEffect, useState } from 'react'

/** Browsers limit elements to about 33 million pixels. A million rows would need 36 million. */
const MAX_HEIGHT_PX = 30_000_000
/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 10

/**
 * Computes which rows of a long list are visible. If the list is taller than an element can be, each scrolled pixel moves slightly more, so that first and last row stay reachable.
 *
 * @returns the total height, and the visible rows with their positions, in pixels
 */
export function useVirtualRows(total: number, rowHeight: number, scroller: RefObject<HTMLElement | null>) {
  const [{ top, height }, setSeen] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const { current } = scroller
    if (!current) return undefined
    const look = () => setSeen({ top: current.scrollTop, height: current.clientHeight })
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [scroller])
  const whole = total * rowHeight
  const tall = Math.min(whole, MAX_HEIGHT_PX)
  const further = tall === whole ? 1 : (whole - height) / (tall - height)
  const at = top * further
  const first = Math.max(0, Math.floor(at / rowHeight) - OVERSCAN_ROWS)
  const last = Math.min(total - 1, Math.ceil((at + height) / rowHeight) + OVERSCAN_ROWS)
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => ({
    index: first + n,
    start: top + (first + n) * rowHeight - at,
  }))
  return { tall, rows }
}
