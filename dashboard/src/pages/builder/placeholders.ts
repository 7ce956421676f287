import { type Block, type PlainBlock, textOf } from '../../editor/blocks.ts'
import type { Step } from './steps.ts'

/** Text of a recipe or a draft that was never replaced: "1. …", "Continue here: …", "[…]", "Lorem ipsum". */
const PLACEHOLDER = /(^|[:.]\s)…|\[…\]|lorem ipsum/im

/** Returns the part of an email in which a placeholder is left. */
export function placeholderIn(step: Step): string | undefined {
  if (step.type !== 'EMAIL' || step.templateId !== null) return undefined
  const blocks = step.design?.blocks.flatMap(plainBlocks).map(textOf) ?? []
  const found = [step.subject, step.text, step.html, ...blocks].find((part) => part != null && PLACEHOLDER.test(part))
  return found == null ? undefined : PLACEHOLDER.exec(found)?.[0]
}

/** The block, or those in its columns. */
const plainBlocks = (block: Block): readonly PlainBlock[] =>
  block.type === 'COLUMNS' ? block.columns.flatMap(({ blocks }) => blocks) : [block]
