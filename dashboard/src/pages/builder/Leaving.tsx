import { Button, Modal } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { DraftState } from './useDraft.ts'

/** So long one waits to leave while what was typed is being kept, in milliseconds. */
const PATIENCE_MS = 3_000

const later = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms))

/** Asks whoever goes to another page before what they typed was kept. */
export function Leaving({ drafted }: { drafted: DraftState }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await Promise.race([drafted.leave(), later(PATIENCE_MS)])),
    // The browser itself asks where the page is closed.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Modal opened onClose={reset} title="This is not saved" centered>
      <p className="t2">What you typed last is in this page only. It is tried again while you stay.</p>
      <div className="row" style={{ marginTop: 16 }}>
        <Button variant="filled" onClick={reset} data-autofocus>
          Stay
        </Button>
        <Button
          variant="subtle"
          color="bad"
          onClick={() => {
            drafted.giveUp()
            proceed()
          }}
        >
          Leave without it
        </Button>
      </div>
    </Modal>
  )
}
