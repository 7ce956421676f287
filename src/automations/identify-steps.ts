import { newId } from '../platform/ids.ts'
import { type StepIds, stepIdsOf, withStepIds } from './message-references.ts'
import { flattenSteps, type PlacedInput } from './step-tree.ts'
import { type Step, type StepInput, withId } from './steps/index.ts'

/**
 * Assigns IDs to new steps, also where conditions refer to them. A step with the ID and type of a known step keeps its identity. Other
 * IDs are not an error, so that steps can be copied from one automation to another.
 *
 * @param known the steps of the automation, also of earlier versions: a contact who has passed a step may move to a version that has it again
 * @param idFor returns the ID of a new step
 */
export function identifySteps(
  steps: readonly StepInput[],
  known: readonly Pick<Step, 'id' | 'type'>[],
  idFor: (placed: PlacedInput) => string = newId,
): { steps: Step[]; ids: StepIds } {
  const free = new Set(known.map(keyOf))
  const placed = flattenSteps(steps)
  const identified: Step[] = []
  for (const each of placed) {
    const { step, in: place } = each
    const id = step.id !== undefined && free.delete(keyOf({ ...step, id: step.id })) ? step.id : idFor(each)
    const branch = place && { step: identified[place.parent]!.id, branch: place.branch }
    identified.push({ ...withId(step, id), ...(branch && { in: branch }) })
  }
  const ids = stepIdsOf(identified.map((step, n) => ({ step, givenId: placed[n]!.step.id })))
  const referring = identified.map((step, n) => {
    const { path } = placed[n]!
    if (step.type === 'CONDITION') return { ...step, branches: withStepIds(step.branches, ids, `${path}.branches`) }
    if (step.type === 'WAIT_FOR_EVENT' && step.filter)
      return { ...step, filter: withStepIds(step.filter, ids, `${path}.filter`) }
    return step
  })
  return { steps: referring, ids }
}

const keyOf = ({ id, type }: Pick<Step, 'id' | 'type'>): string => `${id} ${type}`
