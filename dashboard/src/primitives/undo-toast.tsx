import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { errorMessage } from '../api/client.ts'

/** Milliseconds in which a change can be undone. */
const UNDO_MS = 10_000
const ID = 'undo'

/** Reports a change, and offers to undo it for ten seconds. Only the last change can be undone. */
export function showUndo(message: string, undo: () => Promise<unknown>): void {
  const press = () => {
    notifications.hide(ID)
    undo().catch((error: unknown) => notifications.show({ message: errorMessage(error), color: 'bad' }))
  }
  notifications.hide(ID)
  notifications.show({
    id: ID,
    autoClose: UNDO_MS,
    message: (
      <span className="row">
        {message}
        <Button variant="subtle" size="compact-sm" className="push" onClick={press}>
          Undo
        </Button>
      </span>
    ),
  })
}
