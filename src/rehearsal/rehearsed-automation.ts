import { outlinesOf, type StepOutline, type StoredStep } from '../automation-engine/index.ts'
import type { EntryRules, LeaveRules } from '../automations/index.ts'
import { conditionRules, type LeaveRule, MAX_KEY_LENGTH } from '../enrollments/index.ts'
import { readPath } from '../platform/json-path.ts'
import type { Condition, ResolvedCondition } from '../segments/index.ts'

/** The rules of an automation or a draft. */
export interface AutomationRules extends LeaveRules {
  id: string
  /** With their successors. */
  steps: readonly StoredStep[]
  entry: EntryRules
  /** The lists because of which its emails are sent: an opt-out from one of them suppresses marketing. */
  listIds: readonly string[]
}

/** An automation, prepared for many contacts. */
export interface RehearsedAutomation extends AutomationRules {
  outlines: readonly StepOutline[]
  /** The exit rules and the goal that are conditions. */
  conditionRules: readonly LeaveRule[]
  filter: Condition | null
  /** The path in the data of events whose value is the concurrency key, if there is one. */
  keyPath: string | null
}

/** The facts and settings that all contacts of a rehearsal share. */
export interface Setting {
  /** Replaces the segments in a condition. */
  resolve: (condition: Condition) => ResolvedCondition
  /** The lists that contacts join without a confirmation. */
  openLists: ReadonlySet<string>
  /** The time zone of the workspace. */
  timezone: string
  /** The status of an email that is not suppressed. */
  sentAs: 'SENT' | 'CAPTURED'
  /** When the rehearsed period ends, in milliseconds since 1970. */
  until: number
  /** The response that each webhook saves, by its name. Others save nothing. */
  responses: Readonly<Record<string, unknown>>
}

export function prepare(rules: AutomationRules): RehearsedAutomation {
  const { filter, concurrency } = rules.entry
  const hasKey = concurrency !== undefined && concurrency !== 'ONE'
  return {
    ...rules,
    outlines: outlinesOf(rules.steps),
    conditionRules: conditionRules(rules),
    filter: (filter as Condition | undefined) ?? null,
    keyPath: hasKey ? concurrency.key.replace(/^event\.data\./, '') : null,
  }
}

/** Returns the concurrency key in the data of an event, as `hashOfKey` reads it; `undefined` if there is none. */
export function keyOf(path: string, data: unknown): string | undefined {
  const value = readPath(data, path)
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = String(value)
  return text === '' || text.length > MAX_KEY_LENGTH ? undefined : text
}

/** All conditions of an automation. */
export function conditionsOf({ entry, exitOn, goal, steps }: AutomationRules): Condition[] {
  const rules = [...exitOn, ...(goal ? [goal] : [])]
  const found = [
    entry.filter,
    ...rules.map((rule) => ('condition' in rule ? rule.condition : 'filter' in rule ? rule.filter : undefined)),
    ...steps.flatMap((step) =>
      step.type === 'CONDITION'
        ? step.branches.map((branch) => branch.if)
        : step.type === 'WAIT_FOR_EVENT'
          ? [step.filter]
          : [],
    ),
  ]
  return found.filter((each) => each !== undefined) as unknown as Condition[]
}
