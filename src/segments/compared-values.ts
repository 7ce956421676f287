import type { Compared, Condition, ConditionField } from './condition.ts'

/** A value of the contact, the event at hand or an earlier step that conditions compare. */
export type ComparedPart = (
  { field: ConditionField } | { metadata: string } | { eventData: string } | { stepData: string }
) &
  Compared

/** A value that conditions compared. A missing value is `null`. */
export interface ComparedValue {
  /** `contact.metadata.plan`, `contact.firstName`, `event.data.total`, `steps.crm.score` */
  name: string
  value: unknown
}

/** The maximum number of values that explain a decision, and the characters of each as JSON. */
const MAX_VALUES = 10
const MAX_VALUE_LENGTH = 100

/** Lists what the conditions compare, without the conditions of segments. */
export function comparedParts(conditions: readonly Condition[]): Map<string, ComparedPart> {
  const parts = new Map<string, ComparedPart>()
  const collect = (condition: Condition): void => {
    if ('all' in condition) condition.all.forEach(collect)
    else if ('any' in condition) condition.any.forEach(collect)
    else if ('not' in condition) collect(condition.not)
    else if ('field' in condition || 'metadata' in condition || 'eventData' in condition || 'stepData' in condition)
      parts.set(nameOf(condition), condition)
  }
  conditions.forEach(collect)
  return new Map([...parts].slice(0, MAX_VALUES))
}

function nameOf(part: ComparedPart): string {
  if ('field' in part) return `contact.${part.field}`
  if ('metadata' in part) return `contact.metadata.${part.metadata}`
  return 'eventData' in part ? `event.data.${part.eventData}` : `steps.${part.stepData}`
}

/** Cuts a long value. Arrays and objects become text. */
export function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return cut(value)
  return typeof value === 'object' && value !== null ? cut(JSON.stringify(value)) : (value ?? null)
}

const cut = (text: string): string =>
  text.length <= MAX_VALUE_LENGTH
    ? text
    : `${text
        .slice(0, MAX_VALUE_LENGTH)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
