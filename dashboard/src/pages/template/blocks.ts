import type { Schemas } from '../../api/client.ts'

export type Design = Schemas['Design']
export type Theme = Schemas['Theme']
export type Block = Schemas['Block']
export type PlainBlock = Schemas['PlainBlock']
export type Paragraph = Schemas['Paragraph']
export type Run = Schemas['Run']
export type BlockType = Block['type']

export const BLOCK_LABELS: Record<BlockType, string> = {
  TEXT: 'Text',
  BUTTON: 'Button',
  IMAGE: 'Image',
  DIVIDER: 'Divider',
  SPACER: 'Spacer',
  CODE: 'HTML',
  COLUMNS: 'Columns',
}

const paragraph = (text: string): Paragraph => ({ style: 'PARAGRAPH', runs: text === '' ? [] : [{ text }] })

/** Creates a new block. */
export function newBlock(type: PlainBlock['type']): PlainBlock
export function newBlock(type: BlockType): Block
export function newBlock(type: BlockType): Block {
  switch (type) {
    case 'TEXT':
      return { type, paragraphs: [paragraph('')] }
    case 'BUTTON':
      return { type, label: '', url: '' }
    case 'IMAGE':
      return { type, url: '', alt: '' }
    case 'DIVIDER':
      return { type }
    case 'SPACER':
      return { type, height: 24 }
    case 'CODE':
      return { type, html: '' }
    case 'COLUMNS':
      return { type, columns: [{ blocks: [newBlock('TEXT')] }, { blocks: [newBlock('TEXT')] }] }
  }
}

export const STARTER_DESIGN: Design = {
  blocks: [
    {
      type: 'TEXT',
      paragraphs: [{ style: 'HEADING', runs: [{ text: 'Hello {{ contact.firstName }}' }] }, paragraph('')],
    },
  ],
}

/** A block with a stable key, so that moving it keeps its editor state. */
export interface KeyedBlock<Of extends Block = Block> {
  key: string
  block: Of
}

let last = 0
export const withKey = <Of extends Block>(block: Of): KeyedBlock<Of> => ({ key: `block-${(last += 1)}`, block })
