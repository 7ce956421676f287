import assert from 'node:assert/strict'
import type { Block, PlainBlock } from '../../dashboard/src/editor/blocks.ts'
import {
  copyNode,
  type EditorNode,
  findNode,
  inOrder,
  insertNode,
  isColumns,
  mapTexts,
  moveNode,
  newNode,
  removeNode,
  shiftNode,
  toBlocks,
  toNodes,
} from '../../dashboard/src/editor/nodes.ts'
import { fromDocument, toDocument } from '../../dashboard/src/editor/rich-text.ts'
import { readVariable, splitVariables, writeVariable } from '../../dashboard/src/editor/variables.ts'

const button = (label: string): PlainBlock => ({ type: 'BUTTON', label, url: 'https://example.com' })
const columns = (...labels: string[][]): Block => ({
  type: 'COLUMNS',
  columns: labels.map((each) => ({ blocks: each.map(button) })),
})
/** An email as text: `a [b c|d] e` for a button, columns with two and one, and a button. */
const EMAIL = [button('a'), columns(['b', 'c'], ['d']), button('e')]

const text = (nodes: readonly EditorNode[]): string =>
  nodes
    .map((node) =>
      isColumns(node)
        ? `[${node.columns.map((column) => text(column)).join('|')}]`
        : node.block.type === 'BUTTON'
          ? node.block.label
          : node.block.type.toLowerCase(),
    )
    .join(' ')

/** The key of the button with a label, or of the columns. */
const keyOf = (nodes: readonly EditorNode[], label: string): string =>
  inOrder(nodes).find(({ node }) =>
    label === 'columns'
      ? isColumns(node)
      : !isColumns(node) && node.block.type === 'BUTTON' && node.block.label === label,
  )!.node.key

describe('the blocks of an email in the editor', () => {
  const nodes = toNodes(EMAIL)
  const move = (from: string, target: string, isAfter: boolean) =>
    text(moveNode(nodes, keyOf(nodes, from), { target: keyOf(nodes, target), isAfter }))

  it('convert to blocks and back', () => {
    assert.equal(text(nodes), 'a [b c|d] e')
    assert.deepEqual(toBlocks(nodes), EMAIL)
  })

  for (const [from, target, isAfter, expected] of [
    ['a', 'e', true, '[b c|d] e a'],
    ['a', 'e', false, '[b c|d] a e'],
    ['e', 'b', false, 'a [e b c|d]'],
    ['d', 'a', false, 'd a [b c|] e'],
    ['b', 'd', true, 'a [c|d b] e'],
    ['columns', 'a', false, '[b c|d] a e'],
    ['a', 'a', true, 'a [b c|d] e'],
    // Columns hold no columns, and cannot be moved into themselves.
    ['columns', 'b', true, 'a [b c|d] e'],
  ] as const)
    it(`move ${from} ${isAfter ? 'after' : 'before'} ${target}`, () =>
      assert.equal(move(from, target, isAfter), expected))

  for (const [label, by, expected] of [
    ['a', 1, '[b c|d] a e'],
    ['a', -1, 'a [b c|d] e'],
    ['b', 1, 'a [c b|d] e'],
    ['d', 1, 'a [b c|d] e'],
    ['e', -1, 'a e [b c|d]'],
  ] as const)
    it(`shift ${label} by ${by}`, () => assert.equal(text(shiftNode(nodes, keyOf(nodes, label), by)), expected))

  it('insert into columns, and columns below columns', () => {
    const list = { columns: { key: keyOf(nodes, 'columns'), index: 1 } }
    assert.equal(text(insertNode(nodes, newNode('DIVIDER'), list)), 'a [b c|d divider] e')
    assert.equal(text(insertNode(nodes, newNode('DIVIDER'), list, 0)), 'a [b c|divider d] e')
    assert.equal(text(insertNode(nodes, newNode('COLUMNS'), list)), 'a [b c|d] [text|text] e')
    assert.equal(text(insertNode(nodes, newNode('SPACER'))), 'a [b c|d] e spacer')
  })

  it('remove a block, and copy one with keys of its own', () => {
    assert.equal(text(removeNode(nodes, keyOf(nodes, 'c'))), 'a [b|d] e')
    assert.equal(text(removeNode(nodes, keyOf(nodes, 'columns'))), 'a e')
    const copy = copyNode(findNode(nodes, keyOf(nodes, 'columns'))!.node)
    const keys = inOrder([...nodes, copy]).map(({ node }) => node.key)
    assert.equal(text([copy]), '[b c|d]')
    assert.equal(new Set(keys).size, keys.length)
  })

  it('change all texts', () => {
    assert.equal(text(mapTexts(nodes, (label) => label.replace('d', 'D'))), 'a [b c|D] e')
  })
})

describe('variables in the texts of an email', () => {
  for (const [source, path, fallback] of [
    ['{{ contact.firstName }}', 'contact.firstName', null],
    ['{{contact.email}}', 'contact.email', null],
    ['{{ contact.metadata.plan | default: "free" }}', 'contact.metadata.plan', 'free'],
    ["{{ contact.firstName | default: 'it''s' }}", undefined, null],
    ["{{ contact.firstName | default: 'you' }}", 'contact.firstName', 'you'],
    ['{{ contact.firstName | upcase }}', undefined, null],
    ['{% if contact.metadata.vip %}', undefined, null],
    ['{{ a', undefined, null],
  ] as const)
    it(`${source} is ${path === undefined ? 'plain text' : `a chip of ${path}`}`, () => {
      const parts = splitVariables(`x ${source} y`)
      assert.equal(parts.map((part) => ('source' in part ? part.source : part.text)).join(''), `x ${source} y`)
      const chip = parts.find((part) => 'source' in part)
      assert.equal(chip?.path, path)
      if (chip) assert.equal(chip.fallback, fallback)
    })

  it('are written so that they can be read, whatever the fallback', () => {
    for (const [given, read] of [
      ['there', 'there'],
      ['', null],
      ['say "hi"', 'say hi'],
      ['a }} b', 'a  b'],
    ] as const) {
      const written = writeVariable({ path: 'contact.firstName', fallback: given })
      assert.deepEqual(readVariable(written), { path: 'contact.firstName', fallback: read })
    }
  })

  it('keep their marks, line breaks and exact text in the document of the editor', () => {
    const paragraphs = [
      {
        style: 'PARAGRAPH' as const,
        runs: [
          { text: 'Dear {{contact.firstName}},\nyour ' },
          { text: '{{ contact.metadata.plan | default: "free" }} plan', bold: true, link: 'https://example.com' },
          { text: ' {{ x | upcase }}' },
        ],
      },
      { style: 'BULLET' as const, runs: [{ text: '{{ contact.email }}' }] },
    ]
    assert.deepEqual(fromDocument(toDocument(paragraphs)), paragraphs)
  })
})
