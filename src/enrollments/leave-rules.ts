import type { EndStatus } from '../automation-engine/index.ts'
import { eventKeyOf, type ExitRule, type LeaveRules } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Condition, matchesOf } from '../segments/index.ts'

/** The statuses of an enrollment that ended by a rule. */
export type LeaveStatus = Extract<EndStatus, 'EXITED' | 'GOAL_REACHED'>

/** A rule, and how an enrollment ends by it. */
export interface LeaveRule {
  status: LeaveStatus
  rule: ExitRule
  condition: Condition | undefined
}

/** The goal comes first: a contact who reaches it together with an exit has reached it. */
const rulesOf = ({ exitOn, goal }: LeaveRules): { status: LeaveStatus; rule: ExitRule }[] => [
  ...(goal ? [{ status: 'GOAL_REACHED' as const, rule: goal }] : []),
  ...exitOn.map((rule) => ({ status: 'EXITED' as const, rule })),
]

const asCondition = (json: unknown): Condition => json as Condition

/** The rules that are conditions. */
export const conditionRules = (rules: LeaveRules): LeaveRule[] =>
  rulesOf(rules).flatMap(({ status, rule }) =>
    'condition' in rule ? [{ status, rule, condition: asCondition(rule.condition) }] : [],
  )

/** The rules for an event, each with its filter. @param eventKey see `eventKeyOf` */
export const eventRules = (rules: LeaveRules, eventKey: string): LeaveRule[] =>
  rulesOf(rules).flatMap(({ status, rule }) =>
    'eventName' in rule && eventKeyOf(rule.eventName) === eventKey
      ? [{ status, rule, condition: rule.filter && asCondition(rule.filter) }]
      : [],
  )

/** Returns the first rule that applies, if any. */
export async function firstApplying(
  em: EntityManager,
  { workspaceId, contactId }: { workspaceId: string; contactId: string },
  rules: readonly LeaveRule[],
  evaluation: Parameters<typeof matchesOf>[4],
): Promise<LeaveRule | undefined> {
  const conditions = rules.flatMap(({ condition }) => condition ?? [])
  const matches = conditions.length === 0 ? [] : await matchesOf(em, workspaceId, contactId, conditions, evaluation)
  if (!matches) return undefined
  let index = 0
  return rules.find(({ condition }) => condition === undefined || matches[index++])
}
