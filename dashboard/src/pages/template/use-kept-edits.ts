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
 * Keeps unsaved edits in this browser, so that they survive a crash or a closed tab. What an earlier visit left unsaved stays until it is
 * taken or discarded, and nothing else is kept until then.
 *
 * @param key names the account, what is edited, and the format; `undefined` if nothing is to be kept
 * @param edits the same object until it changes; `undefined` while everything is saved
 */
export function useKeptEdits<Edits>(key: string | undefined, edits: Edits | undefined) {
  const [kept, setKept] = useState(() => (key === undefined ? undefined : read<Edits>(key)))
  const hasEdited = useRef(false)
  const isUndecided = kept !== undefined
  useEffect(() => {
    if (key === undefined || isUndecided) return undefined
    if (edits === undefined) {
      if (hasEdited.current) localStorage.removeItem(key)
      return undefined
    }
    hasEdited.current = true
    const timer = setTimeout(() => write(key, { edits, at: new Date().toISOString() }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key, isUndecided, edits])
  return {
    kept,
    take: () => setKept(undefined),
    /** Drops what is kept: of an earlier visit, or of this one. */
    discard: () => {
      if (key !== undefined) localStorage.removeItem(key)
      setKept(undefined)
    },
  }
}
