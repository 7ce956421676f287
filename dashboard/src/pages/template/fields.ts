import type { Schemas } from '../../api/client.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { omit } from '../../lib/omit.ts'
import type { Block } from '../../editor/blocks.ts'
import { toBlocks, toNodes } from '../../editor/nodes.ts'
import type { EmailDesign } from '../../editor/use-block-editor.ts'
import type { Content } from './TemplatePreview.tsx'

type Template = Schemas['Template']

/** Trims URLs and drops empty links. */
const cleaned = (block: Block): Block => {
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

/** Returns what the form edits of a template, apart from its blocks. */
export const fieldsOf = ({ name, format, layoutId, subject, previewText, html, text, translations }: Template) => ({
  name,
  format,
  layoutId,
  subject: subject ?? '',
  previewText: previewText ?? '',
  html: html ?? '',
  text: text ?? '',
  translations,
})
export type Fields = ReturnType<typeof fieldsOf>

/** Returns the blocks of a template for the editor. */
export const designOf = ({ design }: Pick<Template, 'design'>): EmailDesign => ({
  theme: design?.theme ?? {},
  nodes: toNodes(design?.blocks ?? []),
})

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** Returns the request body without the name. */
export function contentOf(fields: Fields, { theme, nodes }: EmailDesign): Content {
  const { format, layoutId, subject, previewText, html, text, translations } = fields
  const isOfBlocks = format === 'BLOCKS'
  return {
    format,
    subject: orNull(subject),
    previewText: orNull(previewText),
    html: isOfBlocks ? null : orNull(html),
    text: orNull(text),
    ...(isOfBlocks && { design: { theme, blocks: toBlocks(nodes).map(cleaned) } }),
    layoutId: isOfBlocks ? null : layoutId,
    translations,
  }
}

/** Serializes the content of the form, for comparison. */
export const contentKeyOf = (name: string, content: Content) => stableJson([name, content])
export const templateKey = (template: Template) =>
  contentKeyOf(template.name, contentOf(fieldsOf(template), designOf(template)))
