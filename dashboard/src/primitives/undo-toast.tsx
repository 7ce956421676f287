import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { errorMessage } from '../api/client.ts'

/** Milliseconds in which a change can be undone. */
const UNDO_MS = 10_000

/** The ID of the last one. Each has its own, because one that takes over an ID takes over the time that is left, too. */
let last: string | undefined

/**
 * Reports a change, and offers to undo it for ten seconds. The time begins again when the message is no longer hovered or focused. Only
 * the last change can be undone.
 */
export function showUndo(message: string, undo: () => Promise<unknown>): void {
  let isPressed = false
  const press = () => {
    // The message can still be clicked while it disappears.
    if (isPressed) return
    isPressed = true
    notifications.hide(id)
    undo().catch((error: unknown) => notifications.show({ message: errorMessage(error), color: 'bad' }))
  }
  const keep = (isKept: boolean) => notifications.update({ ...data, id, autoClose: isKept ? false : UNDO_MS })
  const data = {
    autoClose: UNDO_MS,
    // Not an alert, which would interrupt what a screen reader says.
    role: 'status',
    onFocusCapture: () => keep(true),
    onBlurCapture: () => keep(false),
    message: (
      <span className="row">
        {message}
        <Button variant="subtle" size="compact-sm" className="push" onClick={press}>
          Undo
        </Button>
      </span>
    ),
  }
  if (last !== undefined) notifications.hide(last)
  const id = notifications.show(data)
  last = id
}
