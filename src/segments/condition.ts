/**
 * Conditions on a contact, as segments and automations use them. A condition is one JSON object with one of these forms. `all` of
 * none is true, `any` of none is false.
 *
 * | form | true for a contact |
 * |---|---|
 * | `{"all": [condition, …]}`, `{"any": […]}`, `{"not": condition}` | that matches all, any, or not |
 * | `{"field": name, "is": comparison, "value": v}` | whose field matches |
 * | `{"metadata": key, "is": comparison, "value": v}` | whose metadata value matches. The key may contain dots, or lead to a nested value |
 * | `{"tag": name}` | that has the tag (compared without case) |
 * | `{"list": id}`, `{"segment": id}` | that is in the list or segment |
 * | `{"activity": "SENT", "automation"?: id, "campaign"?: id, "withinDays"?: n}` | with a message in this status, or that opened or clicked one |
 * | `{"message": id, "is": "opened"}` | that was sent this step or campaign, opened it, clicked in it, or bounced |
 * | `{"event": name, "atLeast"?: n, "atMost"?: n, "withinDays"?: n, "where"?: condition}` | that performed this event that often |
 * | `{"event": name, "data": key, "is": comparison, "value": v}` | that performed this event with such data |
 * | `{"eventData": path, "is": comparison, "value": v}` | if the data of the event at hand matches |
 * | `{"stepData": path, "is": comparison, "value": v}` | if the data that an earlier step saved matches |
 *
 * An array matches if one of its elements does. A value that does not exist, or is `null`, compares as false with every comparison but `missing`.
 */
export type Condition = ConditionOf<ConditionPart>

/** A condition in which segments are replaced by their conditions. */
export type ResolvedCondition = ConditionOf<Exclude<ConditionPart, { segment: string }>>

/** A condition on the data of an event. */
export type EventFilter = ConditionOf<EventDataPart>

export type ConditionOf<Part> =
  { all: ConditionOf<Part>[] } | { any: ConditionOf<Part>[] } | { not: ConditionOf<Part> } | Part

export type ConditionPart =
  | ({ field: ConditionField } & Compared)
  | ({ metadata: string } & Compared)
  | { tag: string }
  | { list: string }
  | { segment: string }
  | ActivityPart
  | MessagePart
  | EventPart
  | EventDataPart
  | ({ stepData: string } & Compared)

export interface ActivityPart {
  activity: Activity
  automation?: string
  campaign?: string
  withinDays?: number
}

/** `message` is the ID of a step or a campaign. */
export interface MessagePart {
  message: string
  is: MessageCondition
}

/** `atLeast` is 1 by default, or 0 if `atMost` is given. */
export type EventPart = {
  event: string
  atLeast?: number
  atMost?: number
  withinDays?: number
  where?: EventFilter
} & ({ data?: never } | ({ data: string } & Compared))

/** `eventData` is a key of the event's data. Dots separate nested keys. */
export type EventDataPart = { eventData: string } & Compared

export interface Compared {
  is: Comparison
  value?: ConditionValue
}

export type ConditionValue = string | number | boolean

export const CONDITION_FIELDS = ['email', 'firstName', 'createdAt', 'updatedAt'] as const
export type ConditionField = (typeof CONDITION_FIELDS)[number]
export const isTimeField = (field: ConditionField): boolean => field === 'createdAt' || field === 'updatedAt'

/** They take no value. */
export const UNARY_COMPARISONS = ['present', 'missing'] as const
export const TEXT_COMPARISONS = ['contains', 'startsWith', 'endsWith'] as const
/** They compare numbers, texts and timestamps. */
export const ORDER_COMPARISONS = ['less', 'more'] as const
/** They take a timestamp. */
export const TIME_COMPARISONS = ['before', 'after'] as const
/** They take a duration, relative to the instant of the evaluation: in the next 7 days, or before or in the last 7 days. */
export const RELATIVE_COMPARISONS = ['within', 'olderThan', 'newerThan'] as const
export const COMPARISONS = [
  'equal',
  ...TEXT_COMPARISONS,
  ...ORDER_COMPARISONS,
  ...TIME_COMPARISONS,
  ...RELATIVE_COMPARISONS,
  ...UNARY_COMPARISONS,
] as const
export type Comparison = (typeof COMPARISONS)[number]

/** The outcomes of a message, and the contact's actions on it. */
export const ACTIVITIES = ['SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'OPENED', 'CLICKED'] as const
export type Activity = (typeof ACTIVITIES)[number]

/** Facts about one message that a condition can require. */
export const MESSAGE_CONDITIONS = ['sent', 'opened', 'clicked', 'bounced'] as const
export type MessageCondition = (typeof MESSAGE_CONDITIONS)[number]

/** The names of the custom events that a condition mentions. */
export function eventsMentionedBy(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(eventsMentionedBy)
  if ('any' in condition) return condition.any.flatMap(eventsMentionedBy)
  if ('not' in condition) return eventsMentionedBy(condition.not)
  return 'event' in condition ? [condition.event] : []
}

/** The lists that every contact who matches the condition is in. */
export function listsRequiredBy(condition: ResolvedCondition): string[] {
  if ('all' in condition) return condition.all.flatMap(listsRequiredBy)
  return 'list' in condition ? [condition.list] : []
}
