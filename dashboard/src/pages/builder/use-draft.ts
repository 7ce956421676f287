import { useEffect, useReducer, useRef, useState } from 'react'
import { useWorkspace } from '../../api/workspace.tsx'
import { type DraftSaver, createDraftSaver, type LoadedDraft, type Saving } from './draft-saver.ts'
import { type EditAction, initialState, editReducer, type EditState, type UndoHistory } from './draft.ts'

/** How long somebody has to stop typing before what they typed is kept, in milliseconds. */
const PAUSE_MS = 700

export interface DraftState extends Pick<
  DraftSaver,
  'overwrite' | 'saveNow' | 'rebase' | 'saveAgain' | 'check' | 'pause' | 'resume' | 'etag'
> {
  edited: EditState
  act: (act: EditAction) => void
  saving: Saving
  /** Whether there is a draft that is not what the automation is. */
  hasDraft: boolean
  /** Goes on with what was read. */
  open: (read: LoadedDraft & { isDraft: boolean }, wayBack: UndoHistory) => void
  /** Whoever leaves waits until what was typed is kept. @returns whether it is */
  leave: () => Promise<boolean>
  /** Keeps nothing any more of what is edited, unless it is edited further. */
  giveUp: () => void
}

/**
 * What is edited, which is kept by itself: after a pause, and when the page is left.
 *
 * @param found the draft there is, or the automation's own steps where there is none
 */
export function useDraft(automationId: string, found: LoadedDraft & { isDraft: boolean }): DraftState {
  const { api } = useWorkspace()
  const [edited, act] = useReducer(editReducer, found.sequence, initialState)
  const [hasDraft, setHasDraft] = useState(found.isDraft)
  const [saving, setSaving] = useState<Saving>({ is: 'saved', kept: found.sequence })
  const [keeper] = useState(() => createDraftSaver(api, automationId, found, setSaving))
  const [first, setFirst] = useState(found.sequence)
  const { now } = edited
  const touched = useRef(false)
  const isGivenUp = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Also back to what it was: the draft that was kept meanwhile is not that.
    if (now !== first) touched.current = true
    if (!touched.current) return undefined
    setHasDraft(true)
    isGivenUp.current = false
    timer.current = setTimeout(() => keeper.scheduleSave(now), PAUSE_MS)
    return () => clearTimeout(timer.current)
  }, [now, first, keeper])
  const latest = useRef(now)
  useEffect(() => {
    latest.current = now
  })
  // Whoever goes to another page does not wait for the pause.
  useEffect(
    () => () => {
      if (isGivenUp.current) keeper.stop()
      else if (touched.current) keeper.scheduleSave(latest.current)
    },
    [keeper],
  )
  useEffect(() => {
    const leave = (event: BeforeUnloadEvent) => {
      if (touched.current) keeper.scheduleSave(now)
      if (!keeper.isSaved()) event.preventDefault()
    }
    addEventListener('beforeunload', leave)
    return () => removeEventListener('beforeunload', leave)
  }, [now, keeper])
  return {
    ...keeper,
    edited,
    act,
    // What was typed just now is not kept before it is.
    saving: saving.is === 'saved' && saving.kept !== now && hasDraft ? { is: 'saving' } : saving,
    hasDraft,
    pause() {
      clearTimeout(timer.current)
      return keeper.pause()
    },
    open(read, wayBack) {
      clearTimeout(timer.current)
      keeper.reset(read)
      touched.current = false
      setFirst(read.sequence)
      setHasDraft(read.isDraft)
      act({ do: 'begin', sequence: read.sequence, wayBack })
    },
    resume() {
      if (touched.current) keeper.scheduleSave(latest.current)
      keeper.resume()
    },
    async leave() {
      for (;;) {
        if (!touched.current) return true
        const { current } = latest
        const isKept = await keeper.saveNow(current).then(
          () => true,
          () => false,
        )
        // Else it was edited further meanwhile.
        if (latest.current === current) return isKept
      }
    },
    giveUp() {
      touched.current = false
      isGivenUp.current = true
    },
  }
}
