import { normalizeId } from '../platform/ids.ts'
import { jsonBytes } from '../platform/json.ts'
import { nearestName, orMeant, orNearest } from '../platform/nearest-name.ts'
import { isTimestamp } from '../platform/timestamp.ts'
import {
  ACTIVITIES,
  type Compared,
  type Comparison,
  COMPARISONS,
  type Condition,
  CONDITION_FIELDS,
  type ConditionOf,
  type ConditionPart,
  type ConditionValue,
  type EventDataPart,
  type EventFilter,
  type EventPart,
  isTimeField,
  MESSAGE_CONDITIONS,
  ORDER_COMPARISONS,
  RELATIVE_COMPARISONS,
  TEXT_COMPARISONS,
  TIME_COMPARISONS,
  UNARY_COMPARISONS,
} from './condition.ts'
import { durationMs, MAX_DAYS } from './duration.ts'

/** The maximum nesting depth and number of parts of a condition. */
const MAX_CONDITION_DEPTH = 10
const MAX_CONDITION_PARTS = 200
/** The maximum size of a condition as JSON. */
const MAX_CONDITION_BYTES = 16 * 1024
/** The maximum number of events that a condition compares with. */
const MAX_EVENT_COUNT = 1_000_000
/** The maximum length of an unknown name in a message. */
const MAX_NAME_CHARACTERS = 50

/** The keys that each form has beside its own. */
const FORMS = {
  all: [],
  any: [],
  not: [],
  field: ['is', 'value'],
  metadata: ['is', 'value'],
  tag: [],
  list: [],
  segment: [],
  activity: ['automation', 'campaign', 'withinDays'],
  message: ['is'],
  event: ['atLeast', 'atMost', 'withinDays', 'where', 'data', 'is', 'value'],
  eventData: ['is', 'value'],
  stepData: ['is', 'value'],
} as const satisfies Record<string, readonly string[]>
type Form = keyof typeof FORMS
const ALL_FORMS = Object.keys(FORMS) as Form[]
const GROUPS = ['all', 'any', 'not'] as const
type GroupForm = (typeof GROUPS)[number]

/** Data that exists only in some places: of the event at hand, and of the earlier steps of an automation. */
export const CONDITION_SOURCES = ['eventData', 'stepData'] as const
export type ConditionSource = (typeof CONDITION_SOURCES)[number]

const UNAVAILABLE: Readonly<Record<ConditionSource, string>> = {
  eventData: 'is available only in automations, where an event is at hand',
  stepData: 'is available only in the steps of an automation',
}

export interface ReadOptions {
  /** The data to which the condition may refer. None by default, as in segments. */
  allows?: ConditionSource | readonly ConditionSource[]
  /** The name of the condition in messages, such as `entry.filter`. */
  path?: string
}

export type ReadResult<Read> = { condition: Read } | { problem: string }

/**
 * Reads a condition from JSON of any shape.
 * @returns the condition, or a text that names the wrong part and what is expected
 */
export function readCondition(
  json: unknown,
  { allows = [], path = 'condition' }: ReadOptions = {},
): ReadResult<Condition> {
  const reader = new ConditionReader(path, [allows].flat())
  return reader.result(json, (at) => reader.contact(json, at))
}

/** Reads a condition on the data of an event, such as the filter of a step that waits for one. Returns as {@link readCondition}. */
export function readEventFilter(json: unknown, { path = 'filter' }: { path?: string } = {}): ReadResult<EventFilter> {
  const reader = new ConditionReader(path, ['eventData'])
  return reader.result(json, (at) => reader.eventFilter(json, at))
}

interface Place {
  path: string
  depth: number
}

/** Reads the forms that are not groups. */
interface PartReader<Part> {
  forms: readonly Form[]
  read(form: Exclude<Form, GroupForm>, json: Record<string, unknown>, at: Place): Part | undefined
}

type Subject = 'text' | 'time' | 'json'

/** The comparisons of texts, of timestamps, and of JSON values, which can be either. */
const COMPARISONS_OF: Readonly<Record<Subject, readonly Comparison[]>> = {
  text: ['equal', ...TEXT_COMPARISONS, ...ORDER_COMPARISONS, ...UNARY_COMPARISONS],
  // Both times of a contact are in the past.
  time: ['equal', ...ORDER_COMPARISONS, ...TIME_COMPARISONS, 'olderThan', 'newerThan', ...UNARY_COMPARISONS],
  json: COMPARISONS,
}

class ConditionReader {
  private problem: string | undefined
  private parts = 0
  private readonly path: string
  private readonly allows: readonly ConditionSource[]

  constructor(path: string, allows: readonly ConditionSource[]) {
    this.path = path
    this.allows = allows
  }

  result<Read>(json: unknown, read: (at: Place) => Read | undefined): ReadResult<Read> {
    const { path } = this
    if (json !== undefined && jsonBytes(json) > MAX_CONDITION_BYTES)
      return { problem: `${path} must not be larger than ${MAX_CONDITION_BYTES} bytes as JSON` }
    const condition = read({ path, depth: 1 })
    return this.problem === undefined ? { condition: condition! } : { problem: this.problem }
  }

  contact(json: unknown, at: Place): Condition | undefined {
    const isAllowed = (form: Form) => !isOneOf(CONDITION_SOURCES, form) || this.allows.includes(form)
    return this.tree<ConditionPart>(json, at, {
      forms: ALL_FORMS.filter(isAllowed),
      read: (form, object, place) => this.part(form, object, place),
    })
  }

  eventFilter(json: unknown, at: Place): EventFilter | undefined {
    return this.tree<EventDataPart>(json, at, {
      forms: [...GROUPS, 'eventData'],
      read: (_form, object, place) => this.eventData(object, place),
    })
  }

  private tree<Part>(json: unknown, at: Place, reader: PartReader<Part>): ConditionOf<Part> | undefined {
    const { path, depth } = at
    this.parts += 1
    if (this.parts > MAX_CONDITION_PARTS)
      return this.fail(`${this.path} must not have more than ${MAX_CONDITION_PARTS} parts`)
    if (depth > MAX_CONDITION_DEPTH)
      return this.fail(`${this.path} must not nest deeper than ${MAX_CONDITION_DEPTH} levels`)
    if (!isObject(json)) return this.fail(`${path} must be a JSON object`)
    const form = this.form(json, path, reader.forms)
    const inside = (name: string): Place => ({ path: `${path}.${name}`, depth: depth + 1 })
    if (form === undefined) return undefined
    if (!isOneOf(GROUPS, form)) return reader.read(form, json, at)
    switch (form) {
      case 'all':
      case 'any': {
        const items = json[form]
        if (!Array.isArray(items)) return this.fail(`${path}.${form} must be an array`)
        const conditions: ConditionOf<Part>[] = []
        for (const [n, item] of items.entries()) {
          const condition = this.tree(item, inside(`${form}[${n}]`), reader)
          if (condition === undefined) return undefined
          conditions.push(condition)
        }
        return form === 'all' ? { all: conditions } : { any: conditions }
      }
      case 'not': {
        const condition = this.tree(json['not'], inside('not'), reader)
        return condition && { not: condition }
      }
    }
  }

  /** The form of an object that has exactly one, and no unknown key. */
  private form(json: Record<string, unknown>, path: string, allowed: readonly Form[]): Form | undefined {
    const unavailable = CONDITION_SOURCES.find((source) => Object.hasOwn(json, source) && !allowed.includes(source))
    if (unavailable && allowed.includes('field')) return this.fail(`${path}.${unavailable} ${UNAVAILABLE[unavailable]}`)
    const [form, ...others] = allowed.filter((each) => Object.hasOwn(json, each))
    const keys = Object.keys(json)
    if (form === undefined) {
      const misspelled = keys.find((key) => nearestName(key, allowed) !== undefined)
      if (misspelled !== undefined) return this.unknown(path, misspelled, orMeant(nearestName(misspelled, allowed)))
    }
    if (form === undefined || others.length > 0)
      return this.fail(`${path} must have exactly one of: ${allowed.join(', ')}`)
    const known: string[] = [form, ...FORMS[form]]
    const unknown = keys.find((key) => !known.includes(key))
    if (unknown !== undefined) return this.unknown(path, unknown, orNearest(unknown, known))
    return form
  }

  private unknown = (path: string, name: string, suggestion: string): undefined =>
    this.fail(`${path}.${name.slice(0, MAX_NAME_CHARACTERS).toWellFormed()} is unknown${suggestion}`)

  private part(form: Exclude<Form, GroupForm>, json: Record<string, unknown>, at: Place): ConditionPart | undefined {
    const { path } = at
    switch (form) {
      case 'field': {
        const { field } = json
        if (!isOneOf(CONDITION_FIELDS, field))
          return this.fail(`${path}.field must be one of: ${CONDITION_FIELDS.join(', ')}`)
        return joined({ field }, this.compared(json, path, isTimeField(field) ? 'time' : 'text'))
      }
      case 'metadata': {
        const { metadata } = json
        if (typeof metadata !== 'string') return this.fail(`${path}.metadata must be a string`)
        return joined({ metadata }, this.compared(json, path, 'json'))
      }
      case 'tag':
        return joined(this.text(json, path, 'tag'), {})
      case 'list':
      case 'segment': {
        const text = this.text(json, path, form)
        return text && (form === 'list' ? { list: normalizeId(text.list) } : { segment: normalizeId(text.segment) })
      }
      case 'activity':
        return this.activity(json, path)
      case 'message': {
        const { is } = json
        const text = this.text(json, path, 'message')
        if (!isOneOf(MESSAGE_CONDITIONS, is))
          return this.fail(`${path}.is must be one of: ${MESSAGE_CONDITIONS.join(', ')}`)
        return text && { message: normalizeId(text.message), is }
      }
      case 'event':
        return this.event(json, at)
      case 'eventData':
        return this.eventData(json, at)
      case 'stepData': {
        const { stepData } = json
        if (!isPath(stepData))
          return this.fail(`${path}.stepData must be the name of a step, with a dot before each key of its data`)
        return joined({ stepData }, this.compared(json, path, 'json'))
      }
    }
  }

  private eventData(json: Record<string, unknown>, { path }: Place): EventDataPart | undefined {
    const { eventData } = json
    if (!isPath(eventData))
      return this.fail(`${path}.eventData must be a key of the event's data, with a dot before each nested key`)
    return joined({ eventData }, this.compared(json, path, 'json'))
  }

  private activity(json: Record<string, unknown>, path: string): ConditionPart | undefined {
    const { activity, automation, campaign, withinDays } = json
    if (!isOneOf(ACTIVITIES, activity)) return this.fail(`${path}.activity must be one of: ${ACTIVITIES.join(', ')}`)
    if (automation !== undefined && typeof automation !== 'string')
      return this.fail(`${path}.automation must be a string`)
    if (campaign !== undefined && typeof campaign !== 'string') return this.fail(`${path}.campaign must be a string`)
    if (!this.areDays(withinDays, path)) return undefined
    return {
      activity,
      ...(automation === undefined ? {} : { automation: normalizeId(automation) }),
      ...(campaign === undefined ? {} : { campaign: normalizeId(campaign) }),
      ...(withinDays === undefined ? {} : { withinDays }),
    }
  }

  private event(json: Record<string, unknown>, { path, depth }: Place): EventPart | undefined {
    const { data, where, atLeast, atMost, withinDays } = json
    const name = this.text(json, path, 'event')
    if (!name || !this.areDays(withinDays, path)) return undefined
    if (!this.isCount(atLeast, 1, `${path}.atLeast`) || !this.isCount(atMost, 0, `${path}.atMost`)) return undefined
    if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
      return this.fail(`${path}.atMost must not be less than atLeast`)
    const event = {
      ...name,
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(atMost === undefined ? {} : { atMost }),
      ...(withinDays === undefined ? {} : { withinDays }),
    }
    if (data !== undefined) {
      if (where !== undefined) return this.fail(`${path} must have either where or data`)
      if (typeof data !== 'string')
        return this.fail(`${path}.data must be a string, which is a key of the event's data`)
      return joined({ ...event, data }, this.compared(json, path, 'json'))
    }
    const compared = ['is', 'value'].find((key) => json[key] !== undefined)
    if (compared !== undefined) return this.fail(`${path}.${compared} must be next to data or in where`)
    if (where === undefined) return event
    const filter = this.eventFilter(where, { path: `${path}.where`, depth: depth + 1 })
    return filter && { ...event, where: filter }
  }

  private compared(json: Record<string, unknown>, path: string, subject: Subject): Compared | undefined {
    const { is, value } = json
    const comparisons = COMPARISONS_OF[subject]
    if (!isOneOf(comparisons, is)) return this.fail(`${path}.is must be one of: ${comparisons.join(', ')}`)
    if (isOneOf(UNARY_COMPARISONS, is)) return { is }
    const { isValid, expected } = valuesOf(is, subject)
    if (!isValid(value)) return this.fail(`${path}.value must be ${expected}`)
    return { is, value: value as ConditionValue }
  }

  private text<Key extends string>(
    json: Record<string, unknown>,
    path: string,
    key: Key,
  ): Record<Key, string> | undefined {
    const text = json[key]
    if (typeof text !== 'string' || text.trim() === '') return this.fail(`${path}.${key} must be a non-empty string`)
    return { [key]: text } as Record<Key, string>
  }

  private areDays(days: unknown, path: string): days is number | undefined {
    if (days === undefined || (typeof days === 'number' && days > 0 && days <= MAX_DAYS)) return true
    this.fail(`${path}.withinDays must be a number of days, up to ${MAX_DAYS}`)
    return false
  }

  private isCount(count: unknown, least: number, path: string): count is number | undefined {
    if (count === undefined || (Number.isInteger(count) && Number(count) >= least && Number(count) <= MAX_EVENT_COUNT))
      return true
    this.fail(`${path} must be a whole number from ${least} to ${MAX_EVENT_COUNT}`)
    return false
  }

  private fail(problem: string): undefined {
    this.problem ??= problem
  }
}

interface Values {
  isValid: (value: unknown) => boolean
  expected: string
}

/** The values that a comparison takes. */
function valuesOf(is: Comparison, subject: Subject): Values {
  if (isOneOf(RELATIVE_COMPARISONS, is)) return DURATIONS
  if (isOneOf(TIME_COMPARISONS, is) || subject === 'time') return TIMESTAMPS
  if (isOneOf(TEXT_COMPARISONS, is) || subject === 'text') return ofTypes('string')
  return isOneOf(ORDER_COMPARISONS, is) ? ofTypes('string', 'number') : ofTypes('string', 'number', 'boolean')
}

const DURATIONS: Values = {
  isValid: (value) => typeof value === 'string' && durationMs(value) !== undefined,
  expected: 'a duration in hours or days, such as 12h or 7d',
}
const TIMESTAMPS: Values = { isValid: isTimestamp, expected: 'a timestamp' }
const ofTypes = (...types: string[]): Values => ({
  // JSON reads 1e400 as Infinity.
  isValid: (value) => types.includes(typeof value) && value !== Infinity && value !== -Infinity,
  expected: `a ${types.join(' or a ')}`,
})

const joined = <One extends object, Other extends object>(one: One | undefined, other: Other | undefined) =>
  one && other && { ...one, ...other }

/** A key, or nested keys with dots between them. */
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value.split('.').every((key) => key.trim() !== '')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  (values as readonly unknown[]).includes(value)
