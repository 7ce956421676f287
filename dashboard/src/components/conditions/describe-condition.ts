import { count, dateOf, plural } from '../../lib/format.ts'
import {
  ACTIVITY_LABELS,
  asTyped,
  COMPARISONS,
  durationOf,
  FIELD_LABELS,
  groupOf,
  type Kind,
  type Loose,
  NEGATED_COMPARISONS,
  OUTCOME_LABELS,
  type Part,
  partOf,
  valueInputOf,
  whereOf,
} from './condition.ts'

/** The names of what conditions refer to by ID. */
export interface Names {
  list: (id: string) => string | undefined
  segment: (id: string) => string | undefined
  /** The subject of a step or the name of a campaign. */
  email: (id: string) => string | undefined
}

const OTHER_ACTIVITY = ['Has other email activity', 'Has no such email activity'] as const
const OTHER_OUTCOME = ['Received', 'Did not receive'] as const

/** Describes a condition in words: "plan is pro and (tagged vip or in Newsletter)". */
export function describeCondition(condition: Loose, names: Names): string {
  const group = groupOf(condition)
  if (!group) return describeItem(condition, names)
  const { join, items } = group
  if (items.length === 0) return join === 'all' || join === 'none' ? 'All contacts' : 'No contacts'
  const words = items.map((item) => nested(item, names))
  if (join === 'all') return words.join(' and ')
  if (join === 'any') return words.join(' or ')
  return `${join === 'none' ? 'none of' : 'not all of'} (${words.join(', ')})`
}

function nested(item: Loose, names: Names): string {
  const group = groupOf(item)
  const text = describeCondition(item, names)
  return group && (group.join === 'all' || group.join === 'any') && group.items.length > 1 ? `(${text})` : text
}

function describeItem(condition: Loose, names: Names): string {
  const found = partOf(condition)
  return found ? DESCRIPTIONS[found.kind](found, names) : 'a custom condition'
}

const DESCRIPTIONS: Readonly<Record<Kind, (found: Part, names: Names) => string>> = {
  field: ({ part, isNegated }) =>
    comparison((FIELD_LABELS[String(part['field'])] ?? String(part['field'])).toLowerCase(), part, isNegated),
  metadata: ({ part, isNegated }) => comparison(String(part['metadata']) || '…', part, isNegated),
  eventData: ({ part, isNegated }) => comparison(String(part['eventData']) || '…', part, isNegated),
  stepData: ({ part, isNegated }) => comparison(String(part['stepData']) || '…', part, isNegated),
  tag: ({ part, isNegated }) => `${isNegated ? 'not ' : ''}tagged ${String(part['tag']) || '…'}`,
  list: ({ part, isNegated }, names) =>
    `${isNegated ? 'not ' : ''}in ${part['list'] === '' ? '…' : (names.list(String(part['list'])) ?? 'a deleted list')}`,
  segment: ({ part, isNegated }, names) =>
    `${isNegated ? 'not ' : ''}in ${part['segment'] === '' ? '…' : (names.segment(String(part['segment'])) ?? 'a deleted segment')}`,
  activity({ part, isNegated }) {
    const [does, never] = ACTIVITY_LABELS[String(part['activity'])] ?? OTHER_ACTIVITY
    return `${(isNegated ? never : does).toLowerCase()}${windowOf(part)}`
  },
  message({ part, isNegated }, names) {
    const [does, never] = OUTCOME_LABELS[String(part['is'])] ?? OTHER_OUTCOME
    const name = part['message'] === '' ? '…' : names.email(String(part['message']))
    return `${(isNegated ? never : does).toLowerCase()} ${name === undefined ? 'a deleted email' : name === '…' ? name : `“${name}”`}`
  },
  event({ part, isNegated }, names) {
    const where = whereOf(part)
    const filter = where ? ` where ${describeCondition(where, names)}` : ''
    return `${isNegated ? 'never performed' : 'performed'} ${String(part['event']) || '…'}${times(part)}${windowOf(part)}${filter}`
  },
}

function times({ atLeast, atMost }: Loose): string {
  if (typeof atLeast === 'number' && atLeast === atMost) return ` exactly ${timesOf(atLeast)}`
  const parts = [
    ...(typeof atLeast === 'number' && atLeast > 1 ? [`at least ${timesOf(atLeast)}`] : []),
    ...(typeof atMost === 'number' ? [`at most ${timesOf(atMost)}`] : []),
  ]
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`
}
const timesOf = (value: number): string => `${count(value)} ${value === 1 ? 'time' : 'times'}`

const windowOf = ({ withinDays }: Loose): string =>
  typeof withinDays === 'number' ? ` in the last ${plural(withinDays, 'day')}` : ''

function comparison(subject: string, part: Loose, isNegated: boolean): string {
  const is = String(part['is'])
  const verb = isNegated ? NEGATED_COMPARISONS[is] : COMPARISONS[is as keyof typeof COMPARISONS]
  return [subject, verb ?? is, valueText(part)].filter(Boolean).join(' ')
}

function valueText(part: Loose): string {
  switch (valueInputOf(part)) {
    case 'none':
      return ''
    case 'duration': {
      const { count: of, unit } = durationOf(part['value'])
      return of === null ? '…' : plural(of, unit === 'h' ? 'hour' : 'day')
    }
    case 'time': {
      const time = new Date(String(part['value']))
      return Number.isNaN(time.getTime()) ? '…' : dateOf(time)
    }
    case 'text':
    case 'typed':
      return asTyped(part['value']) || '“”'
  }
}
