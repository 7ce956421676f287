import type { Schemas } from '../api/client.ts'
import { explainProblem } from '../lib/liquid-problem.ts'
import { textOf } from './blocks.ts'
import { placeholderIn } from './placeholder-text.ts'
import { isLinkUrl } from './link-url.ts'
import { type EditorNode, inOrder, isColumns, mapTexts } from './nodes.ts'

/** Something that is wrong with an email, or probably is. */
export interface EditorProblem {
  title: string
  text: string
  isError: boolean
  /** The block that has it. */
  key?: string | undefined
  /** One change that ends it. */
  fix?: { label: string; apply: (nodes: readonly EditorNode[]) => readonly EditorNode[] }
}

/** Finds what is missing in the blocks. */
export const problemsInBlocks = (nodes: readonly EditorNode[]): EditorProblem[] =>
  inOrder(nodes).flatMap(({ node }): EditorProblem[] => {
    if (isColumns(node)) return []
    const { block } = node
    const of = (title: string, text: string, isError = true) => ({ title, text, isError, key: node.key })
    const placeholder = placeholderIn(textOf(block))
    if (placeholder !== undefined) return [of('Text to replace', `“${placeholder}” is a placeholder`)]
    if (block.type === 'BUTTON') {
      const label = block.label.trim()
      if (label === '') return [of('Empty button', 'A button has no label')]
      if (!isLinkUrl(block.url.trim())) return [of('Missing link', `The button “${label}” has no complete link`)]
    }
    if (block.type === 'IMAGE') {
      if (block.url.trim() === '') return [of('Missing image', 'An image block shows nothing')]
      if (block.alt.trim() === '') return [of('Missing alt text', 'Recipients who block images see a gap', false)]
    }
    return []
  })

type Preview = Schemas['TemplatePreview']

/** Lists what the API found in the rendered email. */
export function problemsInPreview(preview: Preview | undefined, nodes: readonly EditorNode[]): EditorProblem[] {
  if (!preview) return []
  const blockOf = (number: string | undefined) => (number === undefined ? undefined : nodes[Number(number) - 1]?.key)
  const broken = preview.problems.map(({ field, problem }) => ({
    title: 'Cannot be sent',
    text: field === 'design' || field === 'html' ? explainProblem(problem) : `${field}: ${explainProblem(problem)}`,
    isError: true,
    key: blockOf(/in block (\d+)/.exec(problem)?.[1]),
  }))
  // A variable can be in the subject, the HTML and the text: list it once.
  const names = new Map(preview.unknownVariables.map((each) => [each.variable, each.nearest]))
  const unknown = [...names].map(([variable, nearest]): EditorProblem => ({
    title: 'Unknown variable',
    text: nearest === null ? `${variable} is not known` : `${variable} is not known. Did you mean ${nearest}?`,
    isError: true,
    key: inOrder(nodes).find(({ node }) => !isColumns(node) && textOf(node.block).includes(variable))?.node.key,
    ...(nearest !== null && {
      fix: {
        label: `Replace with ${nearest}`,
        apply: (all) => mapTexts(all, (text) => text.replaceAll(variable, nearest)),
      },
    }),
  }))
  const warnings = preview.warnings.map(({ message }) => ({ title: 'Check', text: message, isError: false }))
  return [...broken, ...unknown, ...warnings]
}
