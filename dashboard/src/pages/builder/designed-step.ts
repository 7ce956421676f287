import type { TreeIndex } from './step-tree.ts'
import type { EmailStep } from './steps.ts'

/** Returns a step if it is an email of blocks. */
export function designedStep(tree: TreeIndex, id: string): (EmailStep & { design: object }) | undefined {
  const step = tree.find(id)?.step
  return step?.type === 'EMAIL' && step.templateId === null && step.design
    ? { ...step, design: step.design }
    : undefined
}
