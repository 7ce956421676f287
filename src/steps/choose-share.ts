import { createHash } from 'node:crypto'
import type { StoredStep } from '../automation-engine/index.ts'
import { finishRun } from './queries.ts'
import type { RunStep } from './runner.ts'

/** Chooses the branch of a SPLIT by the hash of contact and step, so that a contact gets the same one whenever they return. */
export const chooseShare: RunStep<Extract<StoredStep, { type: 'SPLIT' }>> = async ({ em }, context) => {
  const branch = branchOfSplit(context.step, context.contactId)
  return finishRun(em.fork(), context, { result: { next: 'continue', branch }, detail: {} })
}

/** Returns the branch of a SPLIT that a contact takes. */
export const branchOfSplit = ({ id, branches }: Extract<StoredStep, { type: 'SPLIT' }>, contactId: string): string =>
  String(
    shareOf(
      branches.map(({ weight }) => weight),
      `${contactId} ${id}`,
    ),
  )

/**
 * Returns the index of one of the weights, each with a probability in proportion to it.
 *
 * @param weights at least one is above 0
 */
function shareOf(weights: readonly number[], seed: string): number {
  const sum = weights.reduce((a, b) => a + b, 0)
  const point = (createHash('sha256').update(seed).digest().readUIntBE(0, 6) / 2 ** 48) * sum
  let end = 0
  for (const [index, weight] of weights.entries()) {
    end += weight
    if (point < end) return index
  }
  return weights.findLastIndex((weight) => weight > 0)
}
