/** The saved content of an email, and its conversion for the editor. */
import type { Schemas } from '@dripline/client'
import { omit } from '../lib/omit.ts'
import type { Block, Design, Theme } from './blocks.ts'
import { type EditorNode, toBlocks, toNodes } from './nodes.ts'

/** The content of an email as it is saved, apart from its name. */
export type Content = Omit<Schemas['TemplateContent'], 'name'>

/** An email in the editor. */
export interface EmailDesign {
  nodes: readonly EditorNode[]
  theme: Theme
}

export const fromDesign = (design: Design | undefined): EmailDesign => ({
  theme: design?.theme ?? {},
  nodes: toNodes(design?.blocks ?? []),
})

export const toDesign = ({ nodes, theme }: EmailDesign): Design => ({ theme, blocks: toBlocks(nodes).map(cleaned) })

/** Trims URLs and drops empty links. */
function cleaned(block: Block): Block {
  switch (block.type) {
    case 'COLUMNS':
      return {
        ...block,
        columns: block.columns.map(({ blocks }) => ({ blocks: blocks.map((each) => cleaned(each) as typeof each) })),
      }
    case 'BUTTON':
      return { ...block, url: block.url.trim() }
    case 'IMAGE': {
      const trimmed = { ...block, url: block.url.trim(), link: block.link?.trim() ?? '' }
      return trimmed.link === '' ? omit(trimmed, 'link') : trimmed
    }
    case 'TEXT':
    case 'DIVIDER':
    case 'SPACER':
    case 'CODE':
      return block
  }
}
