import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconPlus, IconTrash } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { BlockFields } from './BlockFields.tsx'
import { type Block, BLOCK_LABELS, type BlockType, type KeyedBlock, withKey, newBlock } from './blocks.ts'
import classes from './template.module.css'

const COLUMN_BLOCK_TYPES: readonly BlockType[] = ['TEXT', 'BUTTON', 'IMAGE', 'DIVIDER', 'SPACER', 'CODE']

/** Edits a list of blocks. Everything can be done by keyboard. */
export function BlockList<Of extends Block>({
  name,
  blocks,
  isInColumn = false,
  dataKeys,
  readOnly,
  onChange,
}: {
  name: string
  blocks: readonly KeyedBlock<Of>[]
  isInColumn?: boolean
  dataKeys: readonly string[]
  readOnly: boolean
  onChange: (blocks: KeyedBlock<Of>[]) => void
}) {
  const list = useRef<HTMLOListElement>(null)
  const write = (at: number, remove: number, ...add: readonly KeyedBlock<Of>[]) =>
    onChange(blocks.toSpliced(at, remove, ...add))
  const move = (from: number, to: number) => {
    const moved = blocks[from]!
    onChange(blocks.toSpliced(from, 1).toSpliced(to, 0, moved))
  }
  // The last deleted block, for undo.
  const [gone, setGone] = useState<{ at: number; of: KeyedBlock<Of> }>()
  const [added, setAdded] = useState<string>()
  useEffect(() => {
    if (added === undefined) return
    const block = list.current?.querySelector(`:scope > [data-key="${added}"]`)
    const field = block?.querySelector<HTMLElement>(
      '[contenteditable="true"], input:not([readonly], [type="hidden"]), textarea',
    )
    // After the menu, which returns the focus to its button.
    const timer = setTimeout(() => (field ?? block?.querySelector('button'))?.focus(), 50)
    return () => clearTimeout(timer)
  }, [added])
  const put = (at: number, block: KeyedBlock<Of>) => {
    write(at, 0, block)
    setAdded(block.key)
  }
  const remove = (at: number) => {
    setGone({ at, of: blocks[at]! })
    write(at, 1)
  }
  const bringBack = () => {
    if (!gone) return
    put(Math.min(gone.at, blocks.length), withKey(gone.of.block))
    setGone(undefined)
  }
  const types = isInColumn ? COLUMN_BLOCK_TYPES : [...COLUMN_BLOCK_TYPES, 'COLUMNS' as const]
  const add = (at: number, type: BlockType) => put(at, withKey(newBlock(type) as Of))
  // Enter in a text field must not submit the form.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
  }
  return (
    <div>
      <ol ref={list} className={classes.blocks} aria-label={name} onKeyDown={onKeyDown}>
        {blocks.map(({ key, block }, at) => {
          const word = `${BLOCK_LABELS[block.type]} ${at + 1}`
          return (
            <li key={key} data-key={key} className={classes.block} aria-label={word}>
              <div className="row">
                <span className="strong">{BLOCK_LABELS[block.type]}</span>
                {!readOnly && (
                  <span className="row push">
                    <BlockAction word={`Move ${word} up`} isOff={at === 0} onPress={() => move(at, at - 1)}>
                      <IconArrowUp aria-hidden />
                    </BlockAction>
                    <BlockAction
                      word={`Move ${word} down`}
                      isOff={at === blocks.length - 1}
                      onPress={() => move(at, at + 1)}
                    >
                      <IconArrowDown aria-hidden />
                    </BlockAction>
                    <BlockAction
                      word={`Duplicate ${word}`}
                      onPress={() => write(at + 1, 0, withKey(structuredClone(block)))}
                    >
                      <IconCopy aria-hidden />
                    </BlockAction>
                    <BlockAction word={`Delete ${word}`} onPress={() => remove(at)}>
                      <IconTrash aria-hidden />
                    </BlockAction>
                  </span>
                )}
              </div>
              <BlockFields
                block={block}
                name={word}
                dataKeys={dataKeys}
                readOnly={readOnly}
                onChange={(changed) => write(at, 1, { key, block: changed })}
              />
            </li>
          )
        })}
      </ol>
      {gone && (
        <p className="row small t2" role="status">
          {BLOCK_LABELS[gone.of.block.type]} {gone.at + 1} deleted.
          <Button key={gone.of.key} variant="default" autoFocus onClick={bringBack}>
            Undo
          </Button>
        </p>
      )}
      {!readOnly && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default" leftSection={<IconPlus aria-hidden />} aria-label={`Add block to ${name}`}>
              Add block
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {types.map((type) => (
              <Menu.Item key={type} onClick={() => add(blocks.length, type)}>
                {BLOCK_LABELS[type]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}

const BlockAction = ({
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
