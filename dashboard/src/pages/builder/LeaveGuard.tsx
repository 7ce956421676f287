import { useBlocker } from '@tanstack/react-router'
import { UnsavedDialog } from '../../components/UnsavedChanges.tsx'
import type { DraftState } from './use-draft.ts'

/** Milliseconds to wait for a save before asking. */
const SAVE_TIMEOUT_MS = 3_000

const later = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms))

/** Asks for confirmation when the user leaves before the draft is saved. */
export function LeaveGuard({ draftState }: { draftState: DraftState }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await Promise.race([draftState.leave(), later(SAVE_TIMEOUT_MS)])),
    // `useDraft` handles closing the tab.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  const { is } = draftState.saving
  if (is === 'saved')
    return (
      <UnsavedDialog title="Draft saved" leave="Leave" onStay={reset} onLeave={proceed}>
        <p className="t2">Your last change is in the draft.</p>
      </UnsavedDialog>
    )
  const leave = () => {
    draftState.giveUp()
    proceed()
  }
  return (
    <UnsavedDialog onStay={reset} onLeave={leave}>
      <p className="t2">
        Your last change hasn’t been saved.
        {(is === 'saving' || is === 'waiting') && ' Dripline keeps trying while you stay.'}
      </p>
    </UnsavedDialog>
  )
}
