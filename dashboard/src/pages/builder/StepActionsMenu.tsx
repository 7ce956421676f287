import { Menu } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconClipboard,
  IconCopy,
  IconCopyPlus,
  IconPencil,
  IconScissors,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react'
import { AnchoredMenu } from './AnchoredMenu.tsx'
import type { Selected } from './canvas-context.ts'
import type { StepActions } from './use-step-actions.ts'

interface MenuAction {
  label: string
  icon: TablerIcon
  keys?: string
  run: () => void
  isOff?: boolean
}

/** The actions on the selected step or branch. */
export function StepActionsMenu({
  id,
  anchor,
  actions,
  onEdit,
  onClose,
}: {
  id: Selected
  anchor: DOMRect
  actions: StepActions
  onEdit: () => void
  onClose: () => void
}) {
  const { possible, canPaste, placeAfter } = actions
  const { branchMoves } = possible
  const isBranch = id.includes('/')
  const groups: MenuAction[][] = [
    [{ label: 'Edit', icon: IconPencil, keys: 'Enter', run: onEdit }],
    [
      {
        label: isBranch ? 'Duplicate branch' : 'Duplicate',
        icon: IconCopyPlus,
        keys: 'D',
        run: () => actions.duplicate(id),
        isOff: !possible.canDuplicate,
      },
      {
        label: isBranch ? 'Copy steps' : 'Copy',
        icon: IconCopy,
        keys: '⌘ C',
        run: () => actions.copy(id),
        isOff: !possible.canCopy,
      },
      ...(isBranch
        ? []
        : [
            {
              label: 'Cut',
              icon: IconScissors,
              keys: '⌘ X',
              run: () => {
                actions.copy(id)
                actions.remove(id)
              },
            },
          ]),
      {
        label: isBranch ? 'Paste into branch' : 'Paste after',
        icon: IconClipboard,
        keys: '⌘ V',
        run: () => actions.paste(placeAfter(id)),
        isOff: !canPaste,
      },
    ],
    branchMoves
      ? [
          {
            label: 'Move left',
            icon: IconArrowLeft,
            keys: 'Alt Left',
            run: () => actions.moveBranch(id, -1),
            isOff: !branchMoves.left,
          },
          {
            label: 'Move right',
            icon: IconArrowRight,
            keys: 'Alt Right',
            run: () => actions.moveBranch(id, 1),
            isOff: !branchMoves.right,
          },
        ]
      : isBranch
        ? []
        : [
            { label: 'Move up', icon: IconArrowUp, keys: 'Alt ↑', run: () => actions.shift(id, -1) },
            { label: 'Move down', icon: IconArrowDown, keys: 'Alt ↓', run: () => actions.shift(id, 1) },
          ],
    [
      {
        label: isBranch ? 'Delete branch' : 'Delete',
        icon: IconTrash,
        keys: 'Del',
        run: () => actions.remove(id),
        isOff: !possible.canDelete,
      },
    ],
  ]
  const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
  return (
    <AnchoredMenu anchor={anchor} label={isBranch ? 'Branch actions' : 'Step actions'} onClose={onClose}>
      {groups
        .filter((group) => group.length > 0)
        .map((group, n) => [
          n > 0 && <Menu.Divider key={n} />,
          ...group.map(({ label, icon: Icon, keys, run, isOff = false }) => (
            <Menu.Item
              key={label}
              leftSection={<Icon aria-hidden />}
              rightSection={keys && <kbd aria-hidden>{isMac ? keys : keys.replace('⌘', 'Ctrl')}</kbd>}
              disabled={isOff}
              onClick={run}
              {...(n === 0 && { 'data-autofocus': true })}
            >
              {label}
            </Menu.Item>
          )),
        ])}
    </AnchoredMenu>
  )
}
