import { Modal } from '@mantine/core'
import { Fragment } from 'react'
import { NAV_ITEMS } from './navigation.ts'
import classes from './KeyboardShortcuts.module.css'

const SHORTCUTS: readonly [string, readonly (readonly [keys: string, what: string])[]][] = [
  [
    'Everywhere',
    [
      ['⌘ K', 'Search or jump to'],
      ...NAV_ITEMS.flatMap(({ key, label }) =>
        key === undefined ? [] : ([[`G ${key.toUpperCase()}`, label]] as const),
      ),
      ['?', 'These keys'],
      ['Esc', 'Back'],
    ],
  ],
  [
    'In a list',
    [
      ['J K', 'The next, the one before'],
      ['Enter', 'Open it'],
      ['X', 'Select it'],
      ['N', 'A new one'],
      ['/', 'Find'],
    ],
  ],
  [
    'In the builder',
    [
      ['↑ ↓', 'From step to step'],
      ['A', 'Add an email after it'],
      ['W', 'Add a wait after it'],
      ['D', 'Copy it'],
      ['Del', 'Remove it'],
      ['Alt ↑ ↓', 'Move it'],
      ['⌘ Z', 'Undo'],
      ['⇧ ⌘ Z', 'Redo'],
      ['P', 'Pause the automation'],
      ['1 2', 'Edit, Numbers'],
    ],
  ],
]

/** All keys that do something. */
export function KeyboardShortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" size="lg">
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
