import { useBlocker } from '@tanstack/react-router'
import { UnsavedDialog } from '../../components/UnsavedChanges.tsx'
import type { DraftState } from './use-draft.ts'

/** So long one waits to leave while what was typed is being kept, in milliseconds. */
const SAVE_TIMEOUT_MS = 3_000

const later = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms))

/** Asks whoever goes to another page before what they typed was kept. */
export function LeaveGuard({ drafted }: { drafted: DraftState }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await Promise.race([drafted.leave(), later(SAVE_TIMEOUT_MS)])),
    // The browser itself asks where the page is closed.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  const { is } = drafted.saving
  if (is === 'saved')
    return (
      <UnsavedDialog title="It is saved now" leave="Leave" onStay={reset} onLeave={proceed}>
        <p className="t2">What you typed last is in the draft.</p>
      </UnsavedDialog>
    )
  const leave = () => {
    drafted.giveUp()
    proceed()
  }
  return (
    <UnsavedDialog onStay={reset} onLeave={leave}>
      <p className="t2">
        What you typed last is in this page only.
        {(is === 'saving' || is === 'waiting') && ' It is tried again while you stay.'}
      </p>
    </UnsavedDialog>
  )
}
