import { type RefObject, useEffect, useRef } from 'react'

/** Brings what has come to be into sight: a form can be longer than its window. @param of what it says: another thing comes into sight anew */
export function useScrollIntoView<Shown extends HTMLElement>(of: unknown, isWanted = true): RefObject<Shown | null> {
  const shown = useRef<Shown>(null)
  useEffect(() => {
    if (isWanted) shown.current?.scrollIntoView({ block: 'center' })
  }, [of, isWanted])
  return shown
}
