import type { Schemas } from '../../api/client.ts'
import { stableJson } from '../../lib/stable-json.ts'

export type Condition = Schemas['Condition']
/** A condition without the discriminated union of the API schema. */
type Loose = Record<string, unknown>

export type Kind = 'field' | 'metadata' | 'tag' | 'list' | 'event' | 'activity'

export interface Line {
  not: boolean
  kind: Kind
  /** The field, metadata key, tag, list ID, event or status. */
  name: string
  is: string
  value: string
}

/** A condition without nested groups, which the editor can show. */
export interface Lines {
  join: 'all' | 'any'
  lines: Line[]
}

export const NEW_LINE: Line = { not: false, kind: 'field', name: 'email', is: 'endsWith', value: '' }

export const COMPARISONS = {
  equal: 'is',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  less: 'is less than',
  more: 'is more than',
  present: 'is set',
  missing: 'is not set',
} as const
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  email: 'Email',
  firstName: 'First name',
  createdAt: 'Created',
  updatedAt: 'Updated',
}
export const ACTIVITY_LABELS: Readonly<Record<string, string>> = {
  SENT: 'Was sent an email',
  CAPTURED: 'Had an email captured',
  FAILED: 'Had an email fail',
  UNCONFIRMED: 'Has an unconfirmed email',
  OPENED: 'Opened an email',
  CLICKED: 'Clicked an email',
}
const NEGATED_ACTIVITY_LABELS: Readonly<Record<string, string>> = {
  SENT: 'was never sent an email',
  CAPTURED: 'had no email captured',
  FAILED: 'had no email fail',
  UNCONFIRMED: 'has no unconfirmed email',
  OPENED: 'never opened an email',
  CLICKED: 'never clicked an email',
}
const UNARY = ['present', 'missing']
/** Comparisons of text only. */
const TEXTS = ['contains', 'startsWith', 'endsWith']
export const needsValue = ({ kind, is }: Line): boolean =>
  (kind === 'field' || kind === 'metadata') && !UNARY.includes(is)

/** Parses a metadata value: `true`, `false` and numbers by their type; anything else, or in quotes, as text. */
function typed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^".*"$/s.test(text)) return text.slice(1, -1)
  return Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text
}

/** Formats a value so that `typed` parses it again. */
const asTyped = (value: unknown): string =>
  typeof value === 'string' && typed(value) !== value ? `"${value}"` : String(value)

/** Checks whether a line still lacks a name or value. */
export const isIncomplete = (line: Line): boolean =>
  line.name.trim() === '' || (needsValue(line) && line.is !== 'equal' && line.value.trim() === '')

function conditionOf({ not, kind, name, is, value }: Line): Loose {
  const isText = kind === 'field' || TEXTS.includes(is)
  const compared = { is, ...(!UNARY.includes(is) && { value: isText ? value : typed(value) }) }
  const part: Loose = kind === 'field' || kind === 'metadata' ? { [kind]: name, ...compared } : { [kind]: name }
  return not ? { not: part } : part
}

export const fromLines = ({ join, lines }: Lines): Condition => ({ [join]: lines.map(conditionOf) }) as Condition

const KINDS: readonly Kind[] = ['field', 'metadata', 'tag', 'list', 'event', 'activity']

function lineOf(condition: Loose): Line | undefined {
  const not = 'not' in condition
  const part = (not ? condition['not'] : condition) as Loose
  const kind = KINDS.find((each) => typeof part[each] === 'string')
  const known = ['is', 'value', ...(kind ? [kind] : [])]
  if (!kind || Object.keys(part).some((key) => !known.includes(key))) return undefined
  const { is = 'equal', value = '' } = part
  if (!Object.hasOwn(COMPARISONS, String(is))) return undefined
  const isText = kind === 'field' || TEXTS.includes(String(is))
  return { not, kind, name: String(part[kind]), is: String(is), value: isText ? String(value) : asTyped(value) }
}

/** @returns `undefined` if the condition has nested groups, or parts that the editor cannot show */
export function toLines(condition: Condition): Lines | undefined {
  const loose = condition as Loose
  const join = 'all' in loose ? 'all' : 'any' in loose ? 'any' : undefined
  const parts = join ? (loose[join] as Loose[]) : [loose]
  const lines = parts.map(lineOf)
  if (lines.some((line) => line === undefined)) return undefined
  const found = { join: join ?? 'all', lines: lines as Line[] } as const
  // The lines must save the same condition that was loaded.
  return stableJson(fromLines(found)) === stableJson(join ? condition : { all: [condition] }) ? found : undefined
}

/** Describes a condition in words. */
export function describeCondition(condition: Condition, listName: (id: string) => string | undefined): string {
  const lines = toLines(condition)
  if (!lines) return 'Nested conditions'
  if (lines.lines.length === 0) return lines.join === 'all' ? 'All contacts' : 'No contacts'
  return lines.lines.map((line) => describeLine(line, listName)).join(lines.join === 'all' ? ' and ' : ' or ')
}

function describeLine(line: Line, listName: (id: string) => string | undefined): string {
  const { not, kind, name, is, value } = line
  const no = not ? 'not ' : ''
  if (kind === 'tag') return `${no}tagged ${name}`
  if (kind === 'list') return `${no}in ${listName(name) ?? 'a deleted list'}`
  if (kind === 'event') return `${not ? 'never performed' : 'performed'} ${name}`
  if (kind === 'activity')
    return not ? (NEGATED_ACTIVITY_LABELS[name] ?? name) : (ACTIVITY_LABELS[name] ?? name).toLowerCase()
  return `${no}${kind === 'field' ? (FIELD_LABELS[name] ?? name).toLowerCase() : name} ${COMPARISONS[is as 'equal']}${needsValue(line) ? ` ${value}` : ''}`
}
