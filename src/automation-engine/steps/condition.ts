import { byActivity } from './by-activity.ts'
import type { EngineStepType } from './step-type.ts'

export interface ConditionOutline {
  id: string
  type: 'CONDITION'
}

/** A condition as JSON: see `src/segments/condition.ts`. */
export type ConditionJson = Record<string, unknown>

export interface StoredCondition extends ConditionOutline {
  branches: { name: string; if: ConditionJson }[]
}

/** The branch of a CONDITION if none of its conditions is true. */
export const ELSE = 'else'

/** Takes the first branch whose condition is true. Branches are numbered, because names can change. */
export const condition: EngineStepType<ConditionOutline, StoredCondition> = {
  ...byActivity('CONDITION'),
  branchesOf: ({ branches }) => [...branches.keys()].map(String).concat(ELSE),
}
