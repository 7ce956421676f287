import { ActionIcon, Menu } from '@mantine/core'
import {
  IconAdjustments,
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconGripVertical,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { BLOCK_LABELS, BLOCK_TYPES, type BlockType, PLAIN_TYPES } from './blocks.ts'
import { type Located, typeOf } from './nodes.ts'
import type { BlockEditor } from './use-block-editor.ts'
import { dragBlock, useDropPlace } from './use-drop.ts'
import classes from './editor.module.css'

/** The name of a block in its list: `Text 1`. */
export const nameOf = ({ node, index }: Located): string => `${BLOCK_LABELS[typeOf(node)]} ${index + 1}`

/** A block on the canvas: selects it, and shows what can be done with it. */
export function BlockFrame({
  at,
  editor,
  isFocusable,
  readOnly,
  onSettings,
  onEdit,
  children,
}: {
  at: Located
  editor: BlockEditor
  /** Whether Tab reaches it: one block of the canvas can be. */
  isFocusable: boolean
  readOnly: boolean
  /** Opens the settings on a phone. */
  onSettings: () => void
  /** Edits the selected block: its text in its place, or its settings. */
  onEdit: () => void
  children: ReactNode
}) {
  const { key } = at.node
  const name = nameOf(at)
  const isSelected = editor.selected?.node.key === key
  const drop = useDropPlace()
  const side = drop.place?.target === key ? (drop.place.isAfter ? classes.dropAfter : classes.dropBefore) : ''
  const onClick = (event: MouseEvent) => {
    event.stopPropagation()
    if (typeOf(at.node) !== 'TEXT' || readOnly) return editor.select(key)
    const isInText = event.target instanceof Element && event.target.closest('.ProseMirror') !== null
    if (!isInText) editor.select(key, { x: event.clientX, y: event.clientY })
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => editor.step(1),
    ArrowUp: () => editor.step(-1),
    Enter: onEdit,
    Escape: editor.leave,
    ...(!readOnly && {
      'Alt+ArrowUp': () => editor.shift(key, -1),
      'Alt+ArrowDown': () => editor.shift(key, 1),
      'Mod+d': () => editor.duplicate(key),
      Delete: () => editor.remove(key),
      Backspace: () => editor.remove(key),
    }),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const pressed = `${event.altKey ? 'Alt+' : ''}${event.metaKey || event.ctrlKey ? 'Mod+' : ''}${event.key}`
    const act = keys[pressed]
    if (!act) {
      // A letter starts a text instead of a shortcut of the page.
      if (event.key.length !== 1 || event.key === ' ' || event.metaKey || event.ctrlKey) return
      event.stopPropagation()
      if (typeOf(at.node) !== 'TEXT' || readOnly) return
      event.preventDefault()
      editor.select(key, { text: event.key })
      return
    }
    event.preventDefault()
    event.stopPropagation()
    // With the keyboard, the block under the focus is the selected one.
    if (!isSelected) editor.select(key)
    if (isSelected || pressed === 'Enter') act()
  }
  return (
    <li
      data-key={key}
      className={`${classes.frame} ${isSelected ? classes.selected : ''} ${side}`}
      aria-label={name}
      aria-current={isSelected}
      tabIndex={isFocusable ? 0 : -1}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.target === event.currentTarget && !isSelected && editor.select(key)}
      onDragOver={(event) => drop.over(event, key)}
      onDrop={drop.drop}
    >
      {children}
      {isSelected && !readOnly && (
        <>
          <span className={classes.nameTab} aria-hidden>
            {BLOCK_LABELS[typeOf(at.node)]}
          </span>
          <span
            className={classes.handle}
            draggable
            aria-hidden
            title="Drag to move"
            onDragStart={(event) => dragBlock(event, key)}
            onDragEnd={drop.end}
          >
            <IconGripVertical />
          </span>
          <span className={classes.actions} onClick={(event) => event.stopPropagation()}>
            <span className={classes.onPhone}>
              <Action word={`Settings of ${name}`} onPress={onSettings}>
                <IconAdjustments aria-hidden />
              </Action>
            </span>
            <Action word={`Move ${name} up`} isOff={at.index === 0} onPress={() => editor.shift(key, -1)}>
              <IconArrowUp aria-hidden />
            </Action>
            <Action word={`Move ${name} down`} isOff={at.index === at.length - 1} onPress={() => editor.shift(key, 1)}>
              <IconArrowDown aria-hidden />
            </Action>
            <Action word={`Duplicate ${name}`} onPress={() => editor.duplicate(key)}>
              <IconCopy aria-hidden />
            </Action>
            <Action word={`Delete ${name}`} onPress={() => editor.remove(key)}>
              <IconTrash aria-hidden />
            </Action>
          </span>
          <span className={classes.below} onClick={(event) => event.stopPropagation()}>
            <AddBlock
              word={`Add block below ${name}`}
              types={at.list.columns ? PLAIN_TYPES : BLOCK_TYPES}
              onAdd={(type) => editor.add(type)}
            />
          </span>
        </>
      )}
    </li>
  )
}

/** A menu of the blocks to add. */
export const AddBlock = ({
  word,
  types,
  onAdd,
}: {
  word: string
  types: readonly BlockType[]
  onAdd: (type: BlockType) => void
}) => (
  <Menu position="bottom" returnFocus={false}>
    <Menu.Target>
      <ActionIcon radius="xl" size="sm" variant="filled" aria-label={word} title={word}>
        <IconPlus aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {types.map((type) => (
        <Menu.Item key={type} onClick={() => onAdd(type)}>
          {BLOCK_LABELS[type]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
)

const Action = ({
  word,
  isOff = false,
  onPress,
  children,
}: {
  word: string
  isOff?: boolean
  onPress: () => void
  children: ReactNode
}) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={word}
    title={word}
    aria-disabled={isOff}
    onClick={() => !isOff && onPress()}
  >
    {children}
  </ActionIcon>
)
