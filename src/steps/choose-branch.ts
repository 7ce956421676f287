import { ELSE, type StoredStep } from '../automation-engine/index.ts'
import { type Condition, explainMatches } from '../segments/index.ts'
import { finishRun } from './queries.ts'
import { ContextChanged, type RunStep } from './runner.ts'

/** Chooses the first branch of a CONDITION that is true for the contact. */
export const chooseBranch: RunStep<Extract<StoredStep, { type: 'CONDITION' }>> = async ({ em }, context, { clock }) => {
  const { workspaceId, contactId, step, event, stepData } = context
  const conditions = step.branches.map((branch) => branch.if as unknown as Condition)
  const found = await explainMatches(em.fork(), workspaceId, contactId, conditions, {
    at: clock,
    eventData: event?.data,
    stepData,
  })
  if (!found) throw new ContextChanged()
  const { matches, values } = found
  const index = matches.indexOf(true)
  const branch = index === -1 ? ELSE : String(index)
  return finishRun(em.fork(), context, { result: { next: 'continue', branch }, detail: { matches, values } })
}
