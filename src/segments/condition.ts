import { normalizeId } from '../platform/ids.ts'
import { jsonBytes } from '../platform/json.ts'
import { isTimestamp } from '../platform/timestamp.ts'

/**
 * Conditions on a contact, as segments use them. A condition is one JSON object with one of these forms; `all` of none is true,
 * `any` of none is false.
 *
 * | form | true for a contact |
 * |---|---|
 * | `{"all": [condition, …]}`, `{"any": […]}`, `{"not": condition}` | who matches all, any, or not |
 * | `{"field": name, "is": comparison, "value": v}` | whose field matches |
 * | `{"metadata": key, "is": comparison, "value": v}` | whose metadata value matches |
 * | `{"tag": name}` | who has the tag (compared without case) |
 * | `{"list": id}` | who is in the list |
 * | `{"activity": "SENT", "automation"?: id, "campaign"?: id, "withinDays"?: n}` | who was sent a message with this status, or
 * opened or clicked one |
 * | `{"event": name, "data"?: key, "is"?: comparison, "value"?: v, "withinDays"?: n}` | who had this event, with such data |
 *
 * A field or key that a contact does not have compares as false with every comparison except `missing`.
 */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { field: ConditionField; is: Comparison; value?: ConditionValue }
  | { metadata: string; is: Comparison; value?: ConditionValue }
  | { tag: string }
  | { list: string }
  | { activity: Activity; automation?: string; campaign?: string; withinDays?: number }
  | ({ event: string; withinDays?: number } & EventData)

/** The condition on an event's data, if any. */
export type EventData = { data?: never } | { data: string; is: Comparison; value?: ConditionValue }

export const CONDITION_FIELDS = ['email', 'firstName', 'createdAt', 'updatedAt'] as const
export type ConditionField = (typeof CONDITION_FIELDS)[number]

/** `present` and `missing` take no value; `less` and `more` compare numbers, texts and timestamps. */
export const COMPARISONS = [
  'equal',
  'contains',
  'startsWith',
  'endsWith',
  'less',
  'more',
  'present',
  'missing',
] as const
export type Comparison = (typeof COMPARISONS)[number]
export const UNARY_COMPARISONS: readonly Comparison[] = ['present', 'missing']
export const TEXT_COMPARISONS: readonly Comparison[] = ['contains', 'startsWith', 'endsWith']
export const ORDER_COMPARISONS: readonly Comparison[] = ['less', 'more']

export type ConditionValue = string | number | boolean

/** The outcomes of a message, and the contact's actions on it. */
export const ACTIVITIES = ['SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'OPENED', 'CLICKED'] as const
export type Activity = (typeof ACTIVITIES)[number]

/** The maximum nesting depth and number of parts of a condition. */
export const MAX_CONDITION_DEPTH = 10
export const MAX_CONDITION_PARTS = 200
/** The maximum size of a condition as JSON. */
export const MAX_CONDITION_BYTES = 16 * 1024

const FORMS = ['all', 'any', 'not', 'field', 'metadata', 'tag', 'list', 'activity', 'event'] as const

/**
 * Reads a condition from arbitrary JSON.
 * @returns the condition, or a text that names the wrong part and what is expected
 */
export function readCondition(json: unknown): { condition: Condition } | { problem: string } {
  if (jsonBytes(json) > MAX_CONDITION_BYTES) {
    return { problem: `condition must not be larger than ${MAX_CONDITION_BYTES} bytes as JSON` }
  }
  const reader = new ConditionReader()
  const condition = reader.read(json, 'condition', 1)
  return reader.problem === undefined ? { condition: condition! } : { problem: reader.problem }
}

class ConditionReader {
  problem: string | undefined
  private parts = 0

  read(json: unknown, path: string, depth: number): Condition | undefined {
    this.parts += 1
    if (this.parts > MAX_CONDITION_PARTS)
      return this.fail(`condition must not have more than ${MAX_CONDITION_PARTS} parts`)
    if (depth > MAX_CONDITION_DEPTH)
      return this.fail(`condition must not be nested deeper than ${MAX_CONDITION_DEPTH} levels`)
    if (!isObject(json)) return this.fail(`${path} must be a JSON object`)
    const forms = FORMS.filter((form) => Object.hasOwn(json, form))
    const [form] = forms
    if (forms.length !== 1 || !form) return this.fail(`${path} must have exactly one of: ${FORMS.join(', ')}`)
    const value = json[form]
    switch (form) {
      case 'all':
      case 'any': {
        if (!Array.isArray(value)) return this.fail(`${path}.${form} must be an array`)
        const conditions = value.flatMap((item, n) => this.read(item, `${path}.${form}[${n}]`, depth + 1) ?? [])
        return this.ifFine(form === 'all' ? { all: conditions } : { any: conditions })
      }
      case 'not': {
        const condition = this.read(value, `${path}.not`, depth + 1)
        return condition && { not: condition }
      }
      case 'field':
        if (!isOneOf(CONDITION_FIELDS, value))
          return this.fail(`${path}.field must be one of: ${CONDITION_FIELDS.join(', ')}`)
        return this.comparison(json, path, { field: value }, value === 'createdAt' || value === 'updatedAt')
      case 'metadata':
        if (typeof value !== 'string') return this.fail(`${path}.metadata must be a string`)
        return this.comparison(json, path, { metadata: value }, false)
      case 'tag':
      case 'list':
        if (typeof value !== 'string' || value.trim() === '')
          return this.fail(`${path}.${form} must be a non-empty string`)
        return form === 'tag' ? { tag: value } : { list: normalizeId(value) }
      case 'activity':
        return this.activity(json, path, value)
      case 'event':
        return this.event(json, path, value)
    }
  }

  private comparison(
    json: Record<string, unknown>,
    path: string,
    subject: { field: ConditionField } | { metadata: string },
    isTime: boolean,
  ): Compared | undefined {
    const { is, value } = json
    if (!isOneOf(COMPARISONS, is)) return this.fail(`${path}.is must be one of: ${COMPARISONS.join(', ')}`)
    if (UNARY_COMPARISONS.includes(is)) return { ...subject, is }
    const kinds = isTime
      ? ['timestamp']
      : TEXT_COMPARISONS.includes(is) || 'field' in subject
        ? ['string']
        : ORDER_COMPARISONS.includes(is)
          ? ['string', 'number']
          : ['string', 'number', 'boolean']
    if (isTime && TEXT_COMPARISONS.includes(is)) return this.fail(`${path}.is must not be ${is} for a timestamp`)
    const fits = isTime ? isTimestamp(value) : kinds.includes(typeof value) && value !== Infinity && value !== -Infinity
    if (!fits) return this.fail(`${path}.value must be a ${kinds.join(' or a ')}`)
    return { ...subject, is, value: value as ConditionValue }
  }

  private activity(json: Record<string, unknown>, path: string, status: unknown): Condition | undefined {
    const { automation, campaign, withinDays } = json
    if (!isOneOf(ACTIVITIES, status)) return this.fail(`${path}.activity must be one of: ${ACTIVITIES.join(', ')}`)
    if (automation !== undefined && typeof automation !== 'string')
      return this.fail(`${path}.automation must be a string`)
    if (campaign !== undefined && typeof campaign !== 'string') return this.fail(`${path}.campaign must be a string`)
    if (!this.areDays(withinDays, path)) return undefined
    return {
      activity: status,
      ...(automation === undefined ? {} : { automation: normalizeId(automation) }),
      ...(campaign === undefined ? {} : { campaign: normalizeId(campaign) }),
      ...(withinDays === undefined ? {} : { withinDays }),
    }
  }

  private event(json: Record<string, unknown>, path: string, name: unknown): Condition | undefined {
    const { data, withinDays } = json
    if (typeof name !== 'string' || name.trim() === '') return this.fail(`${path}.event must be a non-empty string`)
    if (!this.areDays(withinDays, path)) return undefined
    const event = { event: name, ...(withinDays === undefined ? {} : { withinDays }) }
    if (data === undefined) return event
    if (typeof data !== 'string') return this.fail(`${path}.data must be a key of the event's data, as a string`)
    const compared = this.comparison(json, path, { metadata: data }, false)
    return compared && { ...event, data, ...comparisonOf(compared) }
  }

  private areDays(days: unknown, path: string): days is number | undefined {
    if (days === undefined || (typeof days === 'number' && days > 0 && days <= 36_600)) return true
    this.fail(`${path}.withinDays must be a number of days, up to 36600`)
    return false
  }

  private ifFine(condition: Condition): Condition | undefined {
    return this.problem === undefined ? condition : undefined
  }

  private fail(problem: string): undefined {
    this.problem ??= problem
  }
}

type Compared = Extract<Condition, { field: ConditionField } | { metadata: string }>

const comparisonOf = ({ is, value }: Compared) => ({ is, ...(value === undefined ? {} : { value }) })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  (values as readonly unknown[]).includes(value)

/** The lists that every contact who matches the condition is in. */
export function listsRequiredBy(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(listsRequiredBy)
  return 'list' in condition ? [condition.list] : []
}
