/** The blocks of an email in the editor: a list, in which columns hold lists of their own. All functions return new lists. */
import { type Block, type BlockType, newPlainBlock, type PlainBlock } from './blocks.ts'

/** A block that is not columns, with a key that stays the same when it moves. */
export interface PlainNode {
  key: string
  block: PlainBlock
}
export interface ColumnsNode {
  key: string
  columns: readonly (readonly PlainNode[])[]
}
export type EditorNode = PlainNode | ColumnsNode

export const isColumns = (node: EditorNode): node is ColumnsNode => 'columns' in node
export const typeOf = (node: EditorNode): BlockType => (isColumns(node) ? 'COLUMNS' : node.block.type)

let lastKey = 0
const newKey = () => `block-${(lastKey += 1)}`
const toPlainNode = (block: PlainBlock): PlainNode => ({ key: newKey(), block })

export const toNodes = (blocks: readonly Block[]): EditorNode[] =>
  blocks.map((block) =>
    block.type === 'COLUMNS'
      ? { key: newKey(), columns: block.columns.map(({ blocks: inside }) => inside.map(toPlainNode)) }
      : toPlainNode(block),
  )

export const toBlocks = (nodes: readonly EditorNode[]): Block[] =>
  nodes.map((node) =>
    isColumns(node)
      ? { type: 'COLUMNS', columns: node.columns.map((column) => ({ blocks: column.map(({ block }) => block) })) }
      : node.block,
  )

const newPlainNode = (type: PlainBlock['type']): PlainNode => toPlainNode(newPlainBlock(type))
export const newNode = (type: BlockType): EditorNode =>
  type === 'COLUMNS' ? { key: newKey(), columns: [[newPlainNode('TEXT')], [newPlainNode('TEXT')]] } : newPlainNode(type)

/** A list of blocks: of the email, or of one of its columns. */
export interface ListPlace {
  columns?: { key: string; index: number }
}

/** A block with its place. */
export interface Located {
  node: EditorNode
  list: ListPlace
  index: number
  /** The number of blocks in the list. */
  length: number
}

/** All blocks from top to bottom, each before those inside of it. */
export const inOrder = (nodes: readonly EditorNode[]): Located[] =>
  nodes.flatMap((node, index) => [
    { node, list: {}, index, length: nodes.length },
    ...(isColumns(node)
      ? node.columns.flatMap((column, n) =>
          column.map((inside, at) => ({
            node: inside,
            list: { columns: { key: node.key, index: n } },
            index: at,
            length: column.length,
          })),
        )
      : []),
  ])

export const findNode = (nodes: readonly EditorNode[], key: string | undefined): Located | undefined =>
  inOrder(nodes).find(({ node }) => node.key === key)

/** Edits one list. */
function editList(
  nodes: readonly EditorNode[],
  { columns }: ListPlace,
  edit: (list: readonly EditorNode[]) => readonly EditorNode[],
): readonly EditorNode[] {
  if (!columns) return edit(nodes)
  return nodes.map((node) =>
    node.key === columns.key && isColumns(node)
      ? { ...node, columns: node.columns.map((column, n) => (n === columns.index ? edit(column) : column)) as never }
      : node,
  )
}

/** Returns whether a block may be in a list: columns hold no columns. */
const mayBeIn = (node: EditorNode, { columns }: ListPlace): boolean => !columns || !isColumns(node)

/** Inserts a block into a list, at its end by default. Columns go below the columns that they cannot be in. */
export function insertNode(
  nodes: readonly EditorNode[],
  node: EditorNode,
  list: ListPlace = {},
  index?: number,
): readonly EditorNode[] {
  if (mayBeIn(node, list)) return editList(nodes, list, (within) => within.toSpliced(index ?? within.length, 0, node))
  const above = nodes.findIndex(({ key }) => key === list.columns?.key)
  return nodes.toSpliced(above + 1, 0, node)
}

/** Replaces a block. */
export const replaceNode = (nodes: readonly EditorNode[], node: EditorNode): readonly EditorNode[] => {
  const found = findNode(nodes, node.key)
  return found ? editList(nodes, found.list, (list) => list.with(found.index, node)) : nodes
}

export const removeNode = (nodes: readonly EditorNode[], key: string): readonly EditorNode[] => {
  const found = findNode(nodes, key)
  return found ? editList(nodes, found.list, (list) => list.toSpliced(found.index, 1)) : nodes
}

/** Moves a block within its list. */
export function shiftNode(nodes: readonly EditorNode[], key: string, by: -1 | 1): readonly EditorNode[] {
  const found = findNode(nodes, key)
  const to = (found?.index ?? 0) + by
  if (!found || to < 0 || to >= found.length) return nodes
  return editList(nodes, found.list, (list) => list.toSpliced(found.index, 1).toSpliced(to, 0, found.node))
}

/** Moves a block before or after another one. */
export function moveNode(
  nodes: readonly EditorNode[],
  key: string,
  { target, isAfter }: { target: string; isAfter: boolean },
): readonly EditorNode[] {
  const moved = findNode(nodes, key)
  const without = removeNode(nodes, key)
  const at = findNode(without, target)
  // The target is the block itself, or inside of it.
  if (!moved || !at || !mayBeIn(moved.node, at.list)) return nodes
  return insertNode(without, moved.node, at.list, at.index + (isAfter ? 1 : 0))
}

/** Returns a copy of a block with keys of its own. */
export const copyNode = (node: EditorNode): EditorNode => toNodes(structuredClone(toBlocks([node])))[0]!

/** Changes the texts of all blocks: paragraphs, labels, addresses, and HTML. */
export const mapTexts = (nodes: readonly EditorNode[], change: (text: string) => string): readonly EditorNode[] =>
  nodes.map((node) =>
    isColumns(node)
      ? { ...node, columns: node.columns.map((column) => mapTexts(column, change) as readonly PlainNode[]) }
      : { ...node, block: mapBlock(node.block, change) },
  )

function mapBlock(block: PlainBlock, change: (text: string) => string): PlainBlock {
  switch (block.type) {
    case 'TEXT':
      return {
        ...block,
        paragraphs: block.paragraphs.map((paragraph) => ({
          ...paragraph,
          runs: paragraph.runs.map((run) => ({ ...run, text: change(run.text) })),
        })),
      }
    case 'BUTTON':
      return { ...block, label: change(block.label), url: change(block.url) }
    case 'IMAGE':
      return { ...block, url: change(block.url), alt: change(block.alt) }
    case 'CODE':
      return { ...block, html: change(block.html) }
    case 'DIVIDER':
    case 'SPACER':
      return block
  }
}
