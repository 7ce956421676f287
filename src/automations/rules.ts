import { createHash } from 'node:crypto'
import type { ConditionJson, StoredStep } from '../automation-engine/index.ts'
import { foldName } from '../triggers/index.ts'

/** Rules for who enters an automation. An absent one has no effect. */
export interface EntryRules {
  /** A condition on the contact and the event. */
  filter?: ConditionJson
  /** Whether a contact can enter again. The default is ALWAYS. */
  reentry?: Reentry
  /** How many enrollments a contact can have at a time. The default is ONE; a key allows one for each of its values. */
  concurrency?: 'ONE' | { key: string }
}

export type Reentry = 'ALWAYS' | 'ONCE' | { afterMinutes: number }

/** A reason to leave: an event of the contact, or a condition on the contact. */
export type EventOrCondition = { eventName: string; filter?: ConditionJson } | { condition: ConditionJson }

/** A reason to exit. `unsubscribed`: the contact opted out of marketing, or left the list that started the enrollment. */
export type ExitRule = EventOrCondition | { event: 'unsubscribed' }

/** Rules for leaving an automation before its end. A version contains them, so that they do not change during an enrollment. */
export interface LeaveRules {
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
}

/** The names of the events for which a version's enrollments wait. */
export function eventNamesOf({ exitOn, goal }: LeaveRules, steps: readonly StoredStep[]): string[] {
  const rules = goal ? [...exitOn, goal] : exitOn
  return [
    ...rules.flatMap((rule) => ('eventName' in rule ? rule.eventName : [])),
    ...steps.flatMap((step) => (step.type === 'WAIT_FOR_EVENT' ? step.eventName : [])),
  ]
}

/** The keys of these events. */
export const eventKeysOf = (rules: LeaveRules, steps: readonly StoredStep[]): string[] => [
  ...new Set(eventNamesOf(rules, steps).map(eventKeyOf)),
]

/** The key by which a version is found for an event: a hash, because a name can be longer than an index entry. */
export const eventKeyOf = (name: string): string => createHash('md5').update(foldName(name)).digest('hex')
