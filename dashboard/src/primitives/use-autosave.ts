import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { isOutcomeUnknown } from '../api/client.ts'

/** Milliseconds after the last change before it is saved. */
const PAUSE_MS = 800
/** Milliseconds until a save without a response is repeated. */
const RETRY_MS = 5_000

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
  const latest = useRef({ key, savedKey, save, hasFailed: false })
  // What was saved, until the page shows it as saved.
  const justSaved = useRef<string>(undefined)
  useEffect(() => {
    if (savedKey !== latest.current.savedKey) justSaved.current = undefined
    latest.current = { key, savedKey, save, hasFailed: state.kind === 'failed' }
  })
  const running = useRef<Promise<boolean>>(undefined)
  const run = async (): Promise<boolean> => {
    setState({ kind: 'saving' })
    const { key: saving, save: saveLatest } = latest.current
    try {
      await saveLatest()
      justSaved.current = saving
      setState({ kind: 'saved', at: new Date() })
      return true
    } catch (error) {
      setState({ kind: 'failed', error })
      return false
    }
  }
  /** Saves now what is not saved yet. @returns whether everything is saved */
  const flush = async (): Promise<boolean> => {
    // The race: several callers wait for the same request, and each finds a change to save. The guard: a caller starts a request in
    // the same task in which it finds none running. Test: test/dashboard/primitives-forms.test.ts.
    while (running.current) await running.current
    const { key: now, savedKey: saved } = latest.current
    if (now === saved || now === justSaved.current) return true
    running.current = run().finally(() => {
      running.current = undefined
    })
    return running.current
  }
  const later = useDebouncedCallback(() => void flush(), PAUSE_MS)
  const flushLatest = useRef(flush)
  useEffect(() => {
    flushLatest.current = flush
  })
  const isDirty = key !== savedKey
  const isUnanswered = state.kind === 'failed' && isOutcomeUnknown(state.error)
  useEffect(() => {
    if (!isUnanswered) return undefined
    const timer = setTimeout(() => void flushLatest.current(), RETRY_MS)
    return () => clearTimeout(timer)
    // A second failure is another state.
  }, [isUnanswered, state])
  // A page that is left within the application saves on the way; a closed tab cannot.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      const { key: now, savedKey: saved } = latest.current
      if (now !== saved) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => {
      window.removeEventListener('beforeunload', ask)
      // After a failure, the user was asked and discards the changes.
      if (!latest.current.hasFailed) void flushLatest.current()
    }
  }, [])
  useEffect(() => {
    if (isDirty) later()
  }, [isDirty, key, later])
  return { state, isDirty, flush }
}
