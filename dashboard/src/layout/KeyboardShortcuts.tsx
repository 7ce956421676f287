import { Modal } from '@mantine/core'
import { Fragment } from 'react'
import { NAV_ITEMS } from './navigation.ts'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import classes from './KeyboardShortcuts.module.css'

const SHORTCUTS: readonly [string, readonly (readonly [keys: string, what: string])[]][] = [
  [
    'Everywhere',
    [
      ['⌘ K', 'Search or jump to'],
      ...NAV_ITEMS.flatMap(({ key, label }) =>
        key === undefined ? [] : ([[`G ${key.toUpperCase()}`, label]] as const),
      ),
      ['?', 'Keyboard shortcuts'],
      ['Esc', 'Close or go back'],
    ],
  ],
  [
    'In a list',
    [
      ['J K', 'Next row, previous row'],
      ['Enter', 'Open'],
      ['X', 'Select'],
      ['⇧ X', 'Select from the last one'],
      ['N', 'New'],
      ['/', 'Search'],
    ],
  ],
  [
    'In the builder',
    [
      ['↑ ↓', 'Previous or next step'],
      ['Left Right', 'Branch to the left or right'],
      ['Enter', 'Edit'],
      ['A', 'Add a step below'],
      ['E', 'Add an email below'],
      ['W', 'Add a wait below'],
      ['M', 'All actions'],
      ['D', 'Duplicate'],
      ['⌘ C', 'Copy, also a whole branch'],
      ['⌘ X', 'Cut'],
      ['⌘ V', 'Paste below'],
      ['Del', 'Delete'],
      ['Alt ↑ ↓', 'Move up or down'],
      ['Alt Left Right', 'Move a branch'],
      ['⌘ Z', 'Undo'],
      ['⇧ ⌘ Z', 'Redo'],
      ['P', 'Pause automation'],
      ['1 2', 'Edit, Stats'],
    ],
  ],
  [
    'In a rehearsal',
    [
      ['J K', 'Next email, previous email'],
      ['Left Right', 'Previous or next email'],
    ],
  ],
]

export function KeyboardShortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  useReturnFocus()
  const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <div className={classes.groups}>
        {SHORTCUTS.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl className={classes.keys}>
              {keys.map(([key, what]) => (
                <Fragment key={key}>
                  <dt>
                    <kbd>{isMac ? key : key.replace('⌘', 'Ctrl')}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
