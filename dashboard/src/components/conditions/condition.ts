import type { Schemas } from '../../api/client.ts'
import { omit } from '../../lib/omit.ts'

export type Condition = Schemas['Condition']
/** A condition as JSON, complete or not, without the discriminated union of the API schema. */
export type Loose = Readonly<Record<string, unknown>>

/** How a group combines its conditions. */
export type Join = 'all' | 'any' | 'none' | 'notAll'

export interface Group {
  join: Join
  items: readonly Loose[]
}

/** The forms that are not groups, by their key. */
export type Kind =
  'field' | 'metadata' | 'tag' | 'list' | 'segment' | 'event' | 'activity' | 'message' | 'eventData' | 'stepData'

/** Data that is available only in automations. */
export type Source = 'eventData' | 'stepData'

export const CONTACT_KINDS: readonly Kind[] = [
  'field',
  'metadata',
  'tag',
  'list',
  'segment',
  'event',
  'activity',
  'message',
]
const KINDS: readonly Kind[] = [...CONTACT_KINDS, 'eventData', 'stepData']

export const KIND_LABELS: Readonly<Record<Kind, string>> = {
  field: 'Profile',
  metadata: 'Attribute',
  tag: 'Tag',
  list: 'List',
  segment: 'Segment',
  event: 'Event',
  activity: 'Email activity',
  message: 'One email',
  eventData: 'Event data',
  stepData: 'Step data',
}

const NEW_PARTS: Readonly<Record<Kind, Loose>> = {
  field: { field: 'email', is: 'endsWith', value: '' },
  metadata: { metadata: '', is: 'equal', value: '' },
  tag: { tag: '' },
  list: { list: '' },
  segment: { segment: '' },
  event: { event: '' },
  activity: { activity: 'OPENED' },
  message: { message: '', is: 'opened' },
  eventData: { eventData: '', is: 'equal', value: '' },
  stepData: { stepData: '', is: 'equal', value: '' },
}
export const newPart = (kind: Kind): Loose => NEW_PARTS[kind]

/** A group with one new condition. */
export const newCondition = (kind: Kind = 'metadata'): Loose => ({ all: [newPart(kind)] })

export const COMPARISONS = {
  equal: 'is',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  less: 'is less than',
  more: 'is greater than',
  before: 'is before',
  after: 'is after',
  within: 'is in the next',
  newerThan: 'is in the last',
  olderThan: 'is older than',
  present: 'is set',
  missing: 'is not set',
} as const
export type Comparison = keyof typeof COMPARISONS
export const NEGATED_COMPARISONS: Readonly<Record<string, string>> = {
  equal: 'is not',
  contains: 'does not contain',
  startsWith: 'does not start with',
  endsWith: 'does not end with',
  less: 'is not less than',
  more: 'is not greater than',
  before: 'is not before',
  after: 'is not after',
  within: 'is not in the next',
  newerThan: 'is not in the last',
  olderThan: 'is not older than',
  present: 'is not set',
  missing: 'is set',
}
const TEXTS = ['contains', 'startsWith', 'endsWith']
const UNARY = ['present', 'missing']
const RELATIVE = ['within', 'newerThan', 'olderThan']
const TIMES = ['before', 'after']

const TEXT_COMPARISONS: readonly Comparison[] = [
  'equal',
  'contains',
  'startsWith',
  'endsWith',
  'less',
  'more',
  'present',
  'missing',
]
const TIME_COMPARISONS: readonly Comparison[] = ['before', 'after', 'newerThan', 'olderThan', 'present', 'missing']

export const FIELD_LABELS: Readonly<Record<string, string>> = {
  email: 'Email',
  firstName: 'First name',
  createdAt: 'Created',
  updatedAt: 'Updated',
}
const isTimeField = (part: Loose): boolean => part['field'] === 'createdAt' || part['field'] === 'updatedAt'

/** The labels of email activity, and of its negation. */
export const ACTIVITY_LABELS: Readonly<Record<string, readonly [string, string]>> = {
  SENT: ['Was sent an email', 'Was never sent an email'],
  OPENED: ['Opened an email', 'Never opened an email'],
  CLICKED: ['Clicked an email', 'Never clicked an email'],
  FAILED: ['Had an email fail', 'Had no email fail'],
  UNCONFIRMED: ['Has an unconfirmed email', 'Has no unconfirmed email'],
  CAPTURED: ['Had an email captured', 'Had no email captured'],
}
export const OUTCOME_LABELS: Readonly<Record<string, readonly [string, string]>> = {
  sent: ['Was sent', 'Was not sent'],
  opened: ['Opened', 'Did not open'],
  clicked: ['Clicked in', 'Did not click in'],
  bounced: ['Had a bounce of', 'Had no bounce of'],
}

const kindOf = (part: Loose): Kind | undefined => KINDS.find((kind) => typeof part[kind] === 'string')

/** The kinds whose value is compared. */
const isCompared = (kind: Kind): boolean => ['field', 'metadata', 'eventData', 'stepData'].includes(kind)

/** The comparisons of a part, with its own even if a new one would not have it. */
export function comparisonsOf(part: Loose): readonly Comparison[] {
  const usual = isTimeField(part)
    ? TIME_COMPARISONS
    : kindOf(part) === 'field'
      ? TEXT_COMPARISONS
      : (Object.keys(COMPARISONS) as Comparison[])
  const own = part['is'] as Comparison
  return usual.includes(own) || !Object.hasOwn(COMPARISONS, own) ? usual : [own, ...usual]
}

/** The input of a value: none, a duration such as `7d`, a time, text, or text that can be a number. */
export function valueInputOf(part: Loose): 'none' | 'duration' | 'time' | 'text' | 'typed' {
  const is = String(part['is'])
  if (UNARY.includes(is)) return 'none'
  if (RELATIVE.includes(is)) return 'duration'
  if (TIMES.includes(is) || isTimeField(part)) return 'time'
  return kindOf(part) === 'field' || TEXTS.includes(is) ? 'text' : 'typed'
}

/** Parses a value: `true`, `false` and numbers by their type; anything else, or in quotes, as text. */
export function typed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^".*"$/s.test(text)) return text.slice(1, -1)
  return Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Formats a value so that `typed` parses it again. */
export const asTyped = (value: unknown): string =>
  typeof value === 'string' && typed(value) !== value ? `"${value}"` : textOf(value)

/** Changes the comparison, and drops a value of another input. */
export function withComparison(part: Loose, is: string): Loose {
  const changed: Loose = { ...omit(part, 'value'), is }
  const input = valueInputOf(changed)
  if (input === 'none') return changed
  if (input === valueInputOf(part)) return { ...changed, value: part['value'] }
  const text = ['duration', 'time'].includes(valueInputOf(part)) ? '' : textOf(part['value'])
  return {
    ...changed,
    value: input === 'duration' ? '7d' : input === 'time' ? '' : input === 'text' ? text : typed(text),
  }
}

/** Parses a group. @returns `undefined` for a condition that is none */
export function groupOf(condition: Loose): Group | undefined {
  const { all, any, not } = condition
  if (Array.isArray(all)) return { join: 'all', items: all as Loose[] }
  if (Array.isArray(any)) return { join: 'any', items: any as Loose[] }
  const inner = isObject(not) ? groupOf(not) : undefined
  if (inner?.join === 'any') return { join: 'none', items: inner.items }
  return inner?.join === 'all' ? { join: 'notAll', items: inner.items } : undefined
}

export function conditionOf({ join, items }: Group): Loose {
  if (join === 'none') return { not: { any: items } }
  return join === 'notAll' ? { not: { all: items } } : { [join]: items }
}

/** A condition as a group, of one condition if it is none. */
export const asGroup = (condition: Loose): Group => groupOf(condition) ?? { join: 'all', items: [condition] }

/** Checks whether it is an empty group. */
export const isWithout = (condition: Loose): boolean => asGroup(condition).items.length === 0

/** A condition that is not a group: what it is about, and whether it is negated. */
export interface Part {
  isNegated: boolean
  kind: Kind
  part: Loose
}

/** Parses a condition that is not a group. @returns `undefined` if the editor does not know its form */
export function partOf(condition: Loose): Part | undefined {
  const { not } = condition
  const part = isObject(not) ? not : condition
  const kind = kindOf(part)
  return kind && { isNegated: part === not, kind, part }
}

export const negated = (part: Loose, isNegated: boolean): Loose => (isNegated ? { not: part } : part)

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The filter of an event's data, if it has one. A comparison beside `data` is the older form. */
export function whereOf({ where, data, is, value }: Loose): Loose | undefined {
  if (isObject(where)) return where
  return typeof data === 'string' ? { eventData: data, is, ...(value !== undefined && { value }) } : undefined
}

/** Replaces the filter of an event's data. */
export function withWhere(part: Loose, where: Loose | undefined): Loose {
  const rest: Loose = omit(part, 'where', 'data', 'is', 'value')
  return where ? { ...rest, where } : rest
}

/** Checks whether a condition lacks a name or a value somewhere. */
export function isIncomplete(condition: Loose, isRoot = true): boolean {
  const group = groupOf(condition)
  if (group) return (!isRoot && group.items.length === 0) || group.items.some((item) => isIncomplete(item, false))
  const found = partOf(condition)
  // Unknown forms are checked by the server.
  if (!found) return false
  const { kind, part } = found
  if (String(part[kind]).trim() === '') return true
  if (kind === 'event') {
    const where = whereOf(part)
    return where !== undefined && isIncomplete(where)
  }
  if (!isCompared(kind)) return false
  const input = valueInputOf(part)
  if (input === 'none') return false
  return textOf(part['value']).trim() === ''
}

/** Checks whether a condition refers to the data of an event or a step, so that its contacts cannot be counted. */
export function usesSource(condition: Loose): boolean {
  const group = groupOf(condition)
  if (group) return group.items.some(usesSource)
  const kind = partOf(condition)?.kind
  return kind === 'eventData' || kind === 'stepData'
}

const DURATION = /^(?<count>\d+)(?<unit>[hd])$/

/** Parses a duration such as `12h` or `7d`. */
export function durationOf(value: unknown): { count: number | null; unit: 'h' | 'd' } {
  const { count, unit = 'd' } = DURATION.exec(String(value))?.groups ?? {}
  return { count: count === undefined ? null : Number(count), unit: unit as 'h' | 'd' }
}
