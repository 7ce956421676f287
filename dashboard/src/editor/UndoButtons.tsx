import { ActionIcon } from '@mantine/core'
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react'
import type { Undoable } from '../primitives/use-history.ts'

/** Undoes and redoes changes. */
export const UndoButtons = ({ history: { undo, redo } }: { history: Pick<Undoable<unknown>, 'undo' | 'redo'> }) => (
  <>
    <ActionIcon aria-label="Undo" title="Undo" disabled={!undo} onClick={undo}>
      <IconArrowBackUp aria-hidden />
    </ActionIcon>
    <ActionIcon aria-label="Redo" title="Redo" disabled={!redo} onClick={redo}>
      <IconArrowForwardUp aria-hidden />
    </ActionIcon>
  </>
)
