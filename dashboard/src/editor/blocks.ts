import type { Schemas } from '@dripline/client'

export type Design = Schemas['Design']
export type Theme = Schemas['Theme']
export type Block = Schemas['Block']
export type PlainBlock = Schemas['PlainBlock']
export type Paragraph = Schemas['Paragraph']
export type Run = Schemas['Run']
export type BlockType = Block['type']

/** The colors of an email that sets none. `src/templates/design.ts` has the same. */
export const DEFAULT_COLORS = { page: '#f3f6f8', surface: '#ffffff', text: '#131b1f', accent: '#026b98' } as const

export const BLOCK_LABELS: Record<BlockType, string> = {
  TEXT: 'Text',
  IMAGE: 'Image',
  BUTTON: 'Button',
  COLUMNS: 'Columns',
  DIVIDER: 'Divider',
  SPACER: 'Spacer',
  CODE: 'HTML',
}
export const BLOCK_TYPES = Object.keys(BLOCK_LABELS) as BlockType[]
/** The types that a column may hold. */
export const PLAIN_TYPES = BLOCK_TYPES.filter((type): type is PlainBlock['type'] => type !== 'COLUMNS')

const paragraph = (text: string): Paragraph => ({ style: 'PARAGRAPH', runs: text === '' ? [] : [{ text }] })

/** Creates a new block that is not columns. */
export function newPlainBlock(type: PlainBlock['type']): PlainBlock {
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
  }
}

/** The text of a block, for lists of blocks and to find problems. */
export function textOf(block: PlainBlock): string {
  switch (block.type) {
    case 'TEXT':
      return block.paragraphs.map(({ runs }) => runs.map(({ text }) => text).join('')).join(' ')
    case 'BUTTON':
      return block.label
    case 'IMAGE':
      return block.alt
    case 'CODE':
      return block.html
    case 'DIVIDER':
    case 'SPACER':
      return ''
  }
}
