import { useState } from 'react'
import type { Undoable } from '../primitives/use-history.ts'
import type { BlockType } from './blocks.ts'
import type { EmailDesign } from './content.ts'
import {
  copyNode,
  type EditorNode,
  findNode,
  insertNode,
  inOrder,
  type ListPlace,
  moveNode,
  newNode,
  removeNode,
  replaceNode,
  shiftNode,
} from './nodes.ts'
import type { CaretPlace } from './RichText.tsx'

/** The selected block, and whether its text is being edited. */
interface Selection {
  key: string
  caret: CaretPlace
}

export type BlockEditor = ReturnType<typeof useBlockEditor>

/** The selection of the editor, and what can be done with it. */
export function useBlockEditor({ value: { nodes }, change, undo, redo }: Undoable<EmailDesign>) {
  const [selection, setSelection] = useState<Selection>()
  // Applied to the latest blocks: a text that is being edited may have changed since the last rendering.
  const edit = (by: (nodes: readonly EditorNode[]) => readonly EditorNode[], about?: string) =>
    change((design) => {
      const edited = by(design.nodes)
      return edited === design.nodes ? design : { ...design, nodes: edited }
    }, about)
  const select = (key: string | undefined, caret?: CaretPlace) =>
    setSelection(key === undefined ? undefined : { key, caret })
  const selected = findNode(nodes, selection?.key)
  return {
    nodes,
    undo,
    redo,
    selected,
    /** The place of the caret in the selected text; undefined if its text is not being edited. */
    caret: selection?.caret,
    select,
    /** Selects the next or previous block. */
    step: (by: -1 | 1) => {
      const all = inOrder(nodes)
      const at = all.findIndex(({ node }) => node.key === selection?.key)
      const next = all[at === -1 ? 0 : at + by]
      if (next) select(next.node.key)
    },
    /** Selects the columns that a block is in, or nothing. */
    leave: () => select(selected?.list.columns?.key),
    change: (node: EditorNode) => edit((all) => replaceNode(all, node), node.key),
    /** Inserts a block into a list, or below the selected block. */
    add: (type: BlockType, list?: ListPlace, index?: number) => {
      const node = newNode(type)
      const below = selected && !list
      edit((all) => insertNode(all, node, below ? selected.list : list, below ? selected.index + 1 : index))
      select(node.key, type === 'TEXT' ? 'end' : undefined)
    },
    remove: (key: string) => {
      const found = findNode(nodes, key)
      const left = removeNode(nodes, key)
      edit((all) => removeNode(all, key))
      // The block that is now in its place.
      const near = inOrder(left).filter(({ list }) => list.columns?.key === found?.list.columns?.key)
      const next = near[found?.index ?? 0] ?? near.at(-1)
      select(next?.node.key ?? found?.list.columns?.key)
    },
    shift: (key: string, by: -1 | 1) => {
      edit((all) => shiftNode(all, key, by))
      select(key)
    },
    move: (key: string, to: { target: string; isAfter: boolean }) => edit((all) => moveNode(all, key, to)),
    duplicate: (key: string) => {
      const found = findNode(nodes, key)
      if (!found) return
      const copy = copyNode(found.node)
      edit((all) => insertNode(all, copy, found.list, found.index + 1))
      select(copy.key)
    },
  }
}
