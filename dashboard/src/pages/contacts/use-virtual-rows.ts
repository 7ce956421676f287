import { type RefObject, useLayoutEffect, useState } from 'react'

/** No browser makes a thing taller than some 33 million pixels, where a million rows would be 36. */
const MAX_HEIGHT_PX = 30_000_000
/** So many more than fit are there above and below, for whoever scrolls on. */
const OVERSCAN_ROWS = 10

/**
 * Which rows of many are seen, all of one height. Where they are taller together than a thing can be, one scrolls a little further
 * with each pixel: the first and the last are reached as ever.
 *
 * @returns how tall all is, and the rows that are seen with where they stand, in pixels
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
