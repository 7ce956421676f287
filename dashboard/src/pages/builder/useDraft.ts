import { useEffect, useReducer, useRef, useState } from 'react'
import { useWorkspace } from '../../api/workspace.tsx'
import { keepDraft, type Saving } from './keep-draft.ts'
import { type Act, begin, edit, type Edited, type Sequence } from './sequence.ts'

/** How long somebody has to stop typing before what they typed is kept, in milliseconds. */
const PAUSE_MS = 700

export interface DraftState {
  edited: Edited
  act: (act: Act) => void
  saving: Saving
  /** Keeps mine, whatever somebody else has saved. */
  overwrite: () => void
  /** Whether there is a draft that is not what the automation is. */
  hasDraft: boolean
  /** Has it be kept now. @returns its revision; 0 where there is none @throws where it cannot be */
  keep: (sequence: Sequence) => Promise<number>
  /** It is gone: what is edited is the automation's own. */
  forget: (sequence: Sequence) => void
}

/**
 * What is edited, which is kept by itself: after a pause, and when the page is left.
 *
 * @param found the draft there is, or the automation's own steps where there is none
 */
export function useDraft(
  automationId: string,
  found: { sequence: Sequence; etag: string; basedOn: number; isDraft: boolean },
): DraftState {
  const { api } = useWorkspace()
  const [edited, act] = useReducer(edit, found.sequence, begin)
  const [hasDraft, setHasDraft] = useState(found.isDraft)
  const [saving, setSaving] = useState<Saving>({ is: 'saved', kept: found.sequence })
  const [keeper] = useState(() => keepDraft(api, automationId, found, setSaving))
  const [first, setFirst] = useState(found.sequence)
  const { now } = edited
  const touched = useRef(false)
  useEffect(() => {
    // Also back to what it was: the draft that was kept meanwhile is not that.
    if (now !== first) touched.current = true
    if (!touched.current) return undefined
    setHasDraft(true)
    const timer = setTimeout(() => keeper.want(now), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [now, first, keeper])
  const latest = useRef(now)
  useEffect(() => {
    latest.current = now
  })
  // Whoever goes to another page does not wait for the pause.
  useEffect(
    () => () => {
      if (touched.current) keeper.want(latest.current)
    },
    [keeper],
  )
  useEffect(() => {
    const leave = (event: BeforeUnloadEvent) => {
      if (touched.current) keeper.want(now)
      if (!keeper.isDone()) event.preventDefault()
    }
    addEventListener('beforeunload', leave)
    return () => removeEventListener('beforeunload', leave)
  }, [now, first, keeper])
  return {
    edited,
    act,
    // What was typed just now is not kept before it is.
    saving: saving.is === 'saved' && saving.kept !== now && hasDraft ? { is: 'saving' } : saving,
    hasDraft,
    overwrite: () => keeper.overwrite(),
    keep: (sequence) => keeper.keep(sequence),
    forget(sequence) {
      keeper.forget(sequence)
      touched.current = false
      setFirst(sequence)
      setHasDraft(false)
      act({ do: 'begin', sequence })
    },
  }
}
