import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

/** Milliseconds after the last change before it is saved. */
const PAUSE_MS = 800

/** Whether what is on the page is saved. */
export type SaveState = { kind: 'saved'; at: Date | null } | { kind: 'saving' } | { kind: 'failed'; error: unknown }

/**
 * Saves a draft a moment after its last change, one request at a time: a change during a request is saved after it. A draft that
 * could not be saved stays on the page until a retry or the next change.
 *
 * @param key changes with what is to be saved
 * @param savedKey the key of what the server has
 * @param save saves what is current when it is called
 */
export function useAutosave({ key, savedKey, save }: { key: string; savedKey: string; save: () => Promise<void> }): {
  state: SaveState
  isDirty: boolean
  flush: () => Promise<boolean>
} {
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: null })
  const latest = useRef({ key, savedKey, save })
  useEffect(() => {
    latest.current = { key, savedKey, save }
  })
  const running = useRef<Promise<boolean>>(undefined)
  const run = async (): Promise<boolean> => {
    setState({ kind: 'saving' })
    try {
      await latest.current.save()
      setState({ kind: 'saved', at: new Date() })
      return true
    } catch (error) {
      setState({ kind: 'failed', error })
      return false
    } finally {
      running.current = undefined
    }
  }
  /** Saves now what is not saved yet. @returns whether everything is saved */
  const flush = async (): Promise<boolean> => {
    await running.current
    if (latest.current.key === latest.current.savedKey) return true
    running.current = run()
    return running.current
  }
  const later = useDebouncedCallback(() => void flush(), PAUSE_MS)
  const isDirty = key !== savedKey
  useEffect(() => {
    if (isDirty) later()
  }, [isDirty, key, later])
  return { state, isDirty, flush }
}
