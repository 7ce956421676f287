import { type RefObject, useEffect, useRef } from 'react'

/** Scrolls an element into view when it appears. @param of its content: a change scrolls again */
export function useScrollIntoView<Shown extends HTMLElement>(of: unknown, isWanted = true): RefObject<Shown | null> {
  const shown = useRef<Shown>(null)
  useEffect(() => {
    if (isWanted) shown.current?.scrollIntoView({ block: 'center' })
  }, [of, isWanted])
  return shown
}
