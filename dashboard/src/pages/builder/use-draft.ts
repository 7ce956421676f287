import { useEffect, useReducer, useRef, useState } from 'react'
import { useWorkspace } from '../../api/workspace.tsx'
import { type DraftSaver, createDraftSaver, type LoadedDraft, type Saving } from './draft-saver.ts'
import { type EditAction, initialState, editReducer, type EditState, type UndoHistory } from './draft.ts'

/** Milliseconds after the last keystroke before the draft is saved. */
const PAUSE_MS = 700

export interface DraftState extends Pick<
  DraftSaver,
  'overwrite' | 'saveNow' | 'rebase' | 'saveAgain' | 'check' | 'pause' | 'resume' | 'etag'
> {
  edited: EditState
  act: (act: EditAction) => void
  saving: Saving
  /** Whether there are unpublished changes. */
  hasDraft: boolean
  /** Replaces the draft with what was loaded. */
  open: (read: LoadedDraft & { isDraft: boolean }, history: UndoHistory) => void
  /** Saves before the user leaves. @returns whether everything is saved */
  leave: () => Promise<boolean>
  /** Drops unsaved edits. Further edits are saved again. */
  giveUp: () => void
}

/**
 * Edits a draft and saves it automatically: after a pause in typing and when the page is left.
 *
 * @param found the draft, or the published content if there is none
 */
export function useDraft(automationId: string, found: LoadedDraft & { isDraft: boolean }): DraftState {
  const { api } = useWorkspace()
  const [edited, act] = useReducer(editReducer, found, initialState)
  const [saving, setSaving] = useState<Saving>({ is: 'saved', kept: found.sequence })
  const [keeper] = useState(() => createDraftSaver(api, automationId, found, setSaving))
  const { now, loaded, hasDraft } = edited
  const touched = useRef(false)
  const isGivenUp = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (now !== loaded) touched.current = true
    if (!touched.current) return undefined
    isGivenUp.current = false
    timer.current = setTimeout(() => keeper.scheduleSave(now), PAUSE_MS)
    return () => clearTimeout(timer.current)
  }, [now, loaded, keeper])
  const latest = useRef(now)
  useEffect(() => {
    latest.current = now
  })
  // Saves immediately when the user goes to another page.
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
    // The latest keystrokes are not saved yet.
    saving: saving.is === 'saved' && saving.kept !== now && hasDraft ? { is: 'saving' } : saving,
    hasDraft,
    pause() {
      clearTimeout(timer.current)
      return keeper.pause()
    },
    open(read, history) {
      clearTimeout(timer.current)
      keeper.reset(read)
      touched.current = false
      act({ do: 'begin', sequence: read.sequence, isDraft: read.isDraft, history })
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
        // Otherwise it was edited in the meantime: save again.
        if (latest.current === current) return isKept
      }
    },
    giveUp() {
      touched.current = false
      isGivenUp.current = true
    },
  }
}
