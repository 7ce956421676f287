import type { Paragraph, Run } from './blocks.ts'
import { splitVariables } from './variables.ts'

/** A node of a TipTap document: `JSONContent`, without the types of a browser, so that tests can import this file. */
interface TextNode {
  type?: string | undefined
  text?: string | undefined
  attrs?: Record<string, unknown> | undefined
  content?: TextNode[] | undefined
  marks?: { type: string; attrs?: Record<string, unknown> | undefined }[] | undefined
}

/** Converts paragraphs to a TipTap document. */
export function toDocument(paragraphs: readonly Paragraph[]): TextNode {
  const content: TextNode[] = []
  for (const { style, runs } of paragraphs) {
    const inline = runs.flatMap(toInline)
    const node = { ...(inline.length > 0 && { content: inline }) }
    if (style === 'BULLET' || style === 'NUMBER') {
      const type = style === 'BULLET' ? 'bulletList' : 'orderedList'
      const item = { type: 'listItem', content: [{ type: 'paragraph', ...node }] }
      const before = content.at(-1)
      if (before?.type === type) before.content!.push(item)
      else content.push({ type, content: [item] })
    } else if (style === 'PARAGRAPH') content.push({ type: 'paragraph', ...node })
    else content.push({ type: 'heading', attrs: { level: style === 'HEADING' ? 1 : 2 }, ...node })
  }
  return { type: 'doc', content: content.length > 0 ? content : [{ type: 'paragraph' }] }
}

function toInline({ text, bold, italic, underline, link }: Run): TextNode[] {
  const marks = [
    ...(bold ? [{ type: 'bold' }] : []),
    ...(italic ? [{ type: 'italic' }] : []),
    ...(underline ? [{ type: 'underline' }] : []),
    ...(link ? [{ type: 'link', attrs: { href: link } }] : []),
  ]
  return text.split('\n').flatMap((line, n) => [
    ...(n > 0 ? [{ type: 'hardBreak' }] : []),
    ...splitVariables(line).map((part) => ({
      ...('source' in part ? { type: 'variable', attrs: { source: part.source } } : { type: 'text', text: part.text }),
      ...(marks.length > 0 && { marks }),
    })),
  ])
}

/** Converts a TipTap document to paragraphs. */
export const fromDocument = ({ content = [] }: TextNode): Paragraph[] =>
  content.flatMap((node): Paragraph[] => {
    if (node.type === 'bulletList') return itemsOf(node, 'BULLET')
    if (node.type === 'orderedList') return itemsOf(node, 'NUMBER')
    const heading = node.attrs?.['level'] === 1 ? 'HEADING' : 'SMALL_HEADING'
    return [{ style: node.type === 'heading' ? heading : 'PARAGRAPH', runs: runsOf(node) }]
  })

const itemsOf = ({ content = [] }: TextNode, style: Paragraph['style']): Paragraph[] =>
  content.map(({ content: inside = [] }) => ({ style, runs: inside.flatMap(runsOf) }))

function runsOf({ content = [] }: TextNode): Run[] {
  const runs: Run[] = []
  for (const { type, text = '', attrs, marks = [] } of content) {
    const has = (name: string) => marks.find((mark) => mark.type === name)
    const href = has('link')?.attrs?.['href'] as string | undefined
    const run: Run = {
      text: type === 'hardBreak' ? '\n' : type === 'variable' ? String(attrs?.['source']) : text,
      ...(has('bold') && { bold: true }),
      ...(has('italic') && { italic: true }),
      ...(has('underline') && { underline: true }),
      ...(href && { link: href }),
    }
    const before = runs.at(-1)
    // A line break joins the run before it.
    const isSame = before && (type === 'hardBreak' || formatKey(before) === formatKey(run))
    if (isSame) before.text += run.text
    else runs.push(run)
  }
  return runs
}

const formatKey = ({ bold, italic, underline, link }: Run): string => JSON.stringify([bold, italic, underline, link])
