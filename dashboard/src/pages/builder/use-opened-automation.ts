import { useCounter } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { errorMessage, type Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import type { Selected } from './canvas-context.ts'
import { draftOf, type UndoHistory } from './draft.ts'
import {
  isSameContent,
  loadAutomation,
  type LoadedAutomation,
  loadedDraftOf,
  loadWithRetry,
  revisionOf,
} from './load-automation.ts'
import { publishNoticeId } from './publish-notice.ts'
import { indexTree } from './step-tree.ts'
import type { DraftState } from './use-draft.ts'

/** Milliseconds to wait for a reload of the automation. */
const RELOAD_TIMEOUT_MS = 10_000

/** A change made by this page, which usually comes without the draft. */
type OwnChange = LoadedAutomation | Pick<LoadedAutomation, 'automation' | 'etag'>

/**
 * The automation that is open in the builder. Changes by others are loaded when the stats have a newer revision.
 *
 * @param given the automation as loaded when the page opened
 */
export function useOpenedAutomation({
  given,
  draftState,
  stats,
  statsUpdatedAt,
  selected,
  select,
}: {
  given: LoadedAutomation
  draftState: DraftState
  stats: Schemas['AutomationStats'] | undefined
  statsUpdatedAt: number
  selected: Selected
  select: (selected: Selected) => void
}) {
  const { api } = useWorkspace()
  const [{ opened, isStale }, setLoaded] = useState(() => withStaleness(given))
  const { automation } = opened
  const { edited } = draftState
  // Stats belong to the published steps, not to the draft.
  const running = useMemo(() => draftOf(automation), [automation])
  // Blocks editing while the draft is published or reloaded: the edits would be lost.
  const [operations, { increment, decrement }] = useCounter()
  const isBusy = operations > 0
  const setBusy = useCallback((is: boolean) => (is ? increment() : decrement()), [increment, decrement])
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])

  /** Replaces the edited state with what was loaded. */
  const open = (read: LoadedAutomation, history: UndoHistory = 'none') => {
    if (!isMounted.current) return
    notifications.hide(publishNoticeId(automation.id))
    // The IDs of new steps change when they are published.
    const at = indexTree(edited.now.steps).order.indexOf(selected)
    setLoaded(withStaleness(read))
    draftState.open(loadedDraftOf(read), history)
    const same = indexTree(read.sequence.steps).order[at]
    if (same !== undefined && same !== selected) select(same)
  }
  const openAgain = async (history: UndoHistory) => {
    setBusy(true)
    try {
      open(await loadWithRetry(api, automation.id), history)
    } catch (error) {
      notifications.show({
        color: 'bad',
        title: 'Couldn’t reload the automation',
        message: `${errorMessage(error)} Reload the page.`,
      })
    } finally {
      setBusy(false)
    }
  }
  const isNewer = (etag: string) => isMounted.current && !isBusy && revisionOf(etag) >= revisionOf(opened.etag)
  /** Handles a change of the automation while a draft is being edited. The draft stays. */
  const applyAutomationChange = ({ automation: now, etag }: Pick<LoadedAutomation, 'automation' | 'etag'>) => {
    const isChanged = !isSameContent(now, running)
    // A pending decision stays open.
    if (!isChanged && !isStale) draftState.rebase(revisionOf(etag))
    setLoaded((before) => ({
      opened: { ...before.opened, automation: now, etag },
      isStale: before.isStale || isChanged,
    }))
    // The draft may have been published or discarded.
    void draftState.check()
  }
  const applyReload = (read: LoadedAutomation) => {
    if (!isNewer(read.etag)) return
    // The draft may equal what this page published, if the response was lost.
    if (!draftState.hasDraft || (!read.draft && isSameContent(read.automation, edited.now)))
      return open(read, 'as before')
    applyAutomationChange(read)
  }
  const onReload = useEffectEvent(applyReload)
  const applyOwnChange = (read: OwnChange) => {
    if ('draft' in read) return applyReload(read)
    if (!isNewer(read.etag)) return
    if (draftState.hasDraft) return applyAutomationChange(read)
    open({ ...opened, ...read, draft: undefined, sequence: draftOf(read.automation) }, 'as before')
  }
  /** The latest handler, for operations that started in an earlier render. */
  const latest = useRef(applyOwnChange)
  useEffect(() => {
    latest.current = applyOwnChange
  })
  const isReloading = useRef(false)
  const isOutdated = stats !== undefined && !isBusy && stats.revision > revisionOf(opened.etag)
  useEffect(() => {
    if (!isOutdated || isReloading.current) return
    isReloading.current = true
    // If it fails, the next stats refetch tries again.
    void loadAutomation(api, automation.id, AbortSignal.timeout(RELOAD_TIMEOUT_MS))
      .then(onReload, () => undefined)
      .finally(() => (isReloading.current = false))
  }, [isOutdated, statsUpdatedAt, api, automation.id])
  return {
    opened,
    /** The published content. */
    running,
    /** Whether the draft is based on an older version: publishing it would overwrite newer changes. */
    isStale,
    isBusy,
    /** Counts operations in progress. */
    setBusy,
    isMounted: () => isMounted.current,
    open,
    openAgain,
    /** Shows a change that this page made. */
    apply: (read: OwnChange) => latest.current(read),
    /** Keeps a draft that is based on an older version. */
    keepDraft: () => {
      setLoaded((before) => ({ ...before, isStale: false }))
      draftState.rebase(revisionOf(opened.etag))
      draftState.saveAgain()
    },
  }
}

export type OpenedAutomation = ReturnType<typeof useOpenedAutomation>

const withStaleness = (opened: LoadedAutomation) => ({
  opened,
  isStale: opened.draft !== undefined && opened.draft.basedOn !== revisionOf(opened.etag),
})
