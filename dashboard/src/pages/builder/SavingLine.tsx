import { Button, Popover } from '@mantine/core'
import { inWords } from '../../api/client.ts'
import type { DraftState } from './useDraft.ts'

/** Whether what is edited is kept: nobody presses a button for it. */
export function SavingLine({ drafted, reopen }: { drafted: DraftState; reopen: () => void }) {
  const { saving, hasDraft, overwrite } = drafted
  switch (saving.is) {
    case 'saved':
      return hasDraft ? (
        <span className="small t3" role="status">
          Draft saved
        </span>
      ) : null
    case 'saving':
      return (
        <span className="small t3" role="status">
          Saving…
        </span>
      )
    case 'waiting':
      return (
        <span className="small" role="status" style={{ color: 'var(--warn)' }}>
          Not saved yet: {inWords(saving.error)}
        </span>
      )
    case 'changed':
      return (
        <Popover defaultOpened width={300}>
          <Popover.Target>
            <span className="small" role="alert" style={{ color: 'var(--bad)' }}>
              Somebody else has edited it
            </span>
          </Popover.Target>
          <Popover.Dropdown>
            <p>Another draft was saved since you have opened this one. Yours is in this page only.</p>
            <div className="row" style={{ marginTop: 8 }}>
              <Button
                onClick={() => {
                  // Mine is left: nothing keeps it when the page turns.
                  drafted.forget(drafted.edited.now)
                  reopen()
                }}
              >
                Look at theirs
              </Button>
              <Button variant="filled" onClick={overwrite}>
                Keep mine
              </Button>
            </div>
          </Popover.Dropdown>
        </Popover>
      )
    case 'refused':
      return (
        <span className="small" role="alert" style={{ color: 'var(--bad)' }}>
          Not saved: {inWords(saving.error)}
        </span>
      )
  }
}
