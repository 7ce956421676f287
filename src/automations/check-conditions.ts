import type { EntityManager } from '../platform/db/orm.ts'
import { invalid } from '../platform/api-error.ts'
import { type Condition, findSegmentProblem } from '../segments/index.ts'
import type { EntryRules, EventOrCondition, ExitRule } from './rules.ts'
import { flattenSteps } from './step-tree.ts'
import type { StepInput } from './steps/index.ts'

/** The parts of an automation with conditions on contacts. */
export interface Conditions {
  entry?: EntryRules | undefined
  exitOn?: readonly ExitRule[] | undefined
  goal?: EventOrCondition | null | undefined
  steps?: readonly StepInput[] | undefined
}

/**
 * Checks the segments to which the conditions of an automation refer, before it is saved.
 *
 * @throws {ApiError} `invalid` if a condition refers to too many segments, or to too many levels of them
 */
export async function assertSegmentsFit(em: EntityManager, workspaceId: string, given: Conditions): Promise<void> {
  for (const [path, condition] of conditionsOf(given)) {
    const problem = await findSegmentProblem(em, workspaceId, condition as Condition, { path })
    if (problem !== undefined) throw invalid(problem, `/${path.replace(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`)
  }
}

/** The conditions that refer to segments, each with its place: `steps[2].branches[0].if`. */
function conditionsOf({ entry, exitOn = [], goal, steps = [] }: Conditions): [path: string, condition: unknown][] {
  const found: [string, unknown][] = []
  const add = (path: string, condition: unknown) => {
    if (JSON.stringify(condition)?.includes('"segment":')) found.push([path, condition])
  }
  add('entry.filter', entry?.filter)
  for (const [index, rule] of exitOn.entries())
    if ('condition' in rule) add(`exitOn[${index}].condition`, rule.condition)
  if (goal && 'condition' in goal) add('goal.condition', goal.condition)
  for (const { step, path } of flattenSteps(steps)) {
    if (step.type !== 'CONDITION') continue
    for (const [index, branch] of step.branches.entries()) add(`${path}.branches[${index}].if`, branch.if)
  }
  return found
}
