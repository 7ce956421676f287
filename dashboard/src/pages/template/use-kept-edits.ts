import { useEffect, useRef, useState } from 'react'

/** Edits that were not saved, and when they were made. */
interface Kept<Edits> {
  edits: Edits
  at: string
}

/** Milliseconds after the last change before it is kept. */
const PAUSE_MS = 500

function read<Edits>(key: string): Kept<Edits> | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Kept<Edits> | null) ?? undefined
  } catch {
    return undefined
  }
}

function write(key: string, kept: Kept<unknown>): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // Without storage, or if it is full, nothing is kept.
  }
}

/**
 * Keeps unsaved edits in this browser, so that they survive a crash or a closed tab.
 *
 * @param edits the same object until it changes; `undefined` while everything is saved
 * @returns what an earlier visit left unsaved, until it is taken or discarded
 */
export function useKeptEdits<Edits>(key: string, edits: Edits | undefined) {
  const [kept, setKept] = useState(() => read<Edits>(key))
  const hasEdited = useRef(false)
  useEffect(() => {
    if (edits === undefined) {
      if (hasEdited.current) localStorage.removeItem(key)
      return undefined
    }
    hasEdited.current = true
    const timer = setTimeout(() => write(key, { edits, at: new Date().toISOString() }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key, edits])
  return {
    kept,
    take: () => setKept(undefined),
    discard: () => {
      localStorage.removeItem(key)
      setKept(undefined)
    },
  }
}
