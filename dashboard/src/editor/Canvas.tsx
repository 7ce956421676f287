import { useEffect, useRef } from 'react'
import { BLOCK_TYPES, DEFAULT_COLORS, PLAIN_TYPES, type Theme } from './blocks.ts'
import { AddBlock, BlockFrame, nameOf } from './BlockFrame.tsx'
import { BlockView } from './BlockView.tsx'
import { isColumns, type ListPlace, type Located, type PlainNode } from './nodes.ts'
import { RichText } from './RichText.tsx'
import type { BlockEditor } from './use-block-editor.ts'
import { DropContext, useDrop } from './use-drop.ts'
import classes from './editor.module.css'

interface CanvasProps {
  editor: BlockEditor
  theme: Theme
  variables: readonly { path: string; label: string }[]
  readOnly: boolean
  /** Opens the settings on a phone. */
  onSettings: () => void
  /** Moves the focus to the settings. */
  onFocusSettings: () => void
}

/** The email as recipients see it, in its own light colors. Texts are edited in their place. */
export function Canvas(props: CanvasProps) {
  const { editor, theme, readOnly } = props
  const drop = useDrop(editor)
  const canvas = useRef<HTMLDivElement>(null)
  const key = editor.selected?.node.key
  /** Whether the focus was in the canvas. It is on the page after a block with the focus was removed. */
  const hadFocus = useRef(false)
  // The focus follows the selection, but is not taken from a text or from outside.
  useEffect(() => {
    if (key === undefined || editor.caret !== undefined || !hadFocus.current) return
    const block = canvas.current?.querySelector<HTMLElement>(`[data-key="${key}"]`)
    if (!block?.contains(document.activeElement)) block?.focus()
  }, [key, editor.caret])
  const colors = Object.fromEntries(
    Object.entries(DEFAULT_COLORS).map(([name, usual]) => [`--email-${name}`, theme[name as keyof Theme] || usual]),
  )
  return (
    <DropContext value={drop}>
      <div
        ref={canvas}
        className={classes.desk}
        style={colors}
        onClick={() => editor.select(undefined)}
        onFocus={() => (hadFocus.current = true)}
        onBlur={() => (hadFocus.current = false)}
        onDragOver={(event) => editor.nodes.length === 0 && event.preventDefault()}
        onDrop={drop.drop}
      >
        <div className={classes.email}>
          <Blocks {...props} list={{}} nodes={editor.nodes} label="the email" />
          {!readOnly && (
            <div className={classes.addAtEnd} onClick={(event) => event.stopPropagation()}>
              <AddBlock word="Add block to the email" types={BLOCK_TYPES} onAdd={(type) => editor.add(type, {})} />
            </div>
          )}
        </div>
      </div>
    </DropContext>
  )
}

function Blocks({
  nodes,
  list,
  label,
  ...props
}: CanvasProps & { nodes: BlockEditor['nodes']; list: ListPlace; label: string }) {
  const { editor, readOnly, onSettings, onFocusSettings } = props
  const first = editor.nodes[0]?.key
  return (
    <ol className={classes.blocks} aria-label={label}>
      {nodes.map((node, index) => {
        const at = { node, list, index, length: nodes.length }
        const isSelected = editor.selected?.node.key === node.key
        return (
          <BlockFrame
            key={node.key}
            at={at}
            editor={editor}
            isFocusable={isSelected || (!editor.selected && node.key === first)}
            readOnly={readOnly}
            onSettings={onSettings}
            onEdit={() => {
              if (!isColumns(node) && node.block.type === 'TEXT' && !readOnly) editor.select(node.key, 'end')
              else onFocusSettings()
            }}
          >
            {isColumns(node) ? (
              <div className={classes.columns}>
                {node.columns.map((column, n) => (
                  <Column key={n} {...props} at={at} column={column} index={n} />
                ))}
              </div>
            ) : (
              <PlainContent {...props} at={at} node={node} isEdited={isSelected && editor.caret !== undefined} />
            )}
          </BlockFrame>
        )
      })}
    </ol>
  )
}

function Column({
  at,
  column,
  index,
  ...props
}: CanvasProps & { at: Located; column: readonly PlainNode[]; index: number }) {
  const label = `column ${index + 1} of ${nameOf(at)}`
  const list = { columns: { key: at.node.key, index } }
  return (
    <div className={classes.column}>
      <Blocks {...props} nodes={column} list={list} label={label} />
      {!props.readOnly && (
        <div className={classes.addToColumn} onClick={(event) => event.stopPropagation()}>
          <AddBlock word={`Add block to ${label}`} types={PLAIN_TYPES} onAdd={(type) => props.editor.add(type, list)} />
        </div>
      )}
    </div>
  )
}

function PlainContent({
  at,
  node,
  isEdited,
  editor,
  variables,
}: CanvasProps & { at: Located; node: PlainNode; isEdited: boolean }) {
  const { block } = node
  if (block.type !== 'TEXT' || !isEdited) return <BlockView block={block} />
  return (
    <div className={classes.words} style={{ textAlign: (block.align ?? 'LEFT').toLowerCase() as 'left' }}>
      <RichText
        label={nameOf(at)}
        paragraphs={block.paragraphs}
        caret={editor.caret}
        variables={variables}
        onChange={(paragraphs) => editor.change({ ...node, block: { ...block, paragraphs } })}
        onBlock={(type) => editor.add(type)}
        undo={editor.undo}
        redo={editor.redo}
        onLeave={() => {
          document.querySelector<HTMLElement>(`[data-key="${node.key}"]`)?.focus()
          editor.select(node.key)
        }}
      />
    </div>
  )
}
