import { type Block, type PlainBlock, textOf } from '../../editor/blocks.ts'
import { placeholderIn } from '../../editor/placeholder-text.ts'
import type { Step } from './steps.ts'

/** Returns the first placeholder left in an email step, with the words before it. */
export function placeholderOf(step: Step): string | undefined {
  if (step.type !== 'EMAIL' || step.templateId !== null) return undefined
  const blocks = step.design?.blocks.flatMap(plainBlocks).map(textOf) ?? []
  return [step.subject, step.text, step.html, ...blocks]
    .map((part) => (part == null ? undefined : placeholderIn(part)))
    .find((found) => found !== undefined)
}

/** The block, or those in its columns. */
const plainBlocks = (block: Block): readonly PlainBlock[] =>
  block.type === 'COLUMNS' ? block.columns.flatMap(({ blocks }) => blocks) : [block]
