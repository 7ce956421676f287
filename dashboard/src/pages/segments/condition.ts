import type { Schemas } from '../../api/client.ts'
import { stableJson } from '../../lib/stable-json.ts'

export type Condition = Schemas['Condition']
/** As the page makes them: the document's union of forms, by their keys. */
type Loose = Record<string, unknown>

export type Kind = 'field' | 'metadata' | 'tag' | 'list' | 'event' | 'activity'

/** One line of a condition. */
export interface Line {
  not: boolean
  kind: Kind
  /** The field, key, tag, list's id, event or status. */
  name: string
  is: string
  value: string
}

/** What the page can show in lines: all or any of some, none of them nested. */
export interface Lines {
  join: 'all' | 'any'
  lines: Line[]
}

export const NEW_LINE: Line = { not: false, kind: 'field', name: 'email', is: 'endsWith', value: '' }

export const COMPARISONS = {
  equal: 'is',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
  less: 'is less than',
  more: 'is more than',
  present: 'is there',
  missing: 'is not there',
} as const
const UNARY = ['present', 'missing']
/** These compare texts, whatever they look like. */
const TEXTS = ['contains', 'startsWith', 'endsWith']
export const needsValue = ({ kind, is }: Line): boolean =>
  (kind === 'field' || kind === 'metadata') && !UNARY.includes(is)

/** What somebody types of metadata: true, false and numbers as they are written are those; anything else, and what is in quotes, a text. */
function typed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^".*"$/s.test(text)) return text.slice(1, -1)
  return Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text
}

/** As somebody would type it. */
const asTyped = (value: unknown): string =>
  typeof value === 'string' && typed(value) !== value ? `"${value}"` : String(value)

/** What keeps a line from saying anything. */
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
  const isText = kind === 'field' || TEXTS.includes(String(is))
  return { not, kind, name: String(part[kind]), is: String(is), value: isText ? String(value) : asTyped(value) }
}

/** @returns `undefined` where it is more than lines can show */
export function toLines(condition: Condition): Lines | undefined {
  const loose = condition as Loose
  const join = 'all' in loose ? 'all' : 'any' in loose ? 'any' : undefined
  const parts = join ? (loose[join] as Loose[]) : [loose]
  const lines = parts.map(lineOf)
  if (lines.some((line) => line === undefined)) return undefined
  const found = { join: join ?? 'all', lines: lines as Line[] } as const
  // What is shown has to be what is saved.
  return stableJson(fromLines(found)) === stableJson(join ? condition : { all: [condition] }) ? found : undefined
}

/** A condition in words. @param listName what a list is called */
export function describeCondition(condition: Condition, listName: (id: string) => string | undefined): string {
  const lines = toLines(condition)
  if (!lines) return 'A condition with parts in parts'
  if (lines.lines.length === 0) return lines.join === 'all' ? 'Everybody' : 'Nobody'
  return lines.lines.map((line) => describeLine(line, listName)).join(lines.join === 'all' ? ' and ' : ' or ')
}

function describeLine(line: Line, listName: (id: string) => string | undefined): string {
  const { not, kind, name, is, value } = line
  const no = not ? 'not ' : ''
  if (kind === 'tag') return `${no}tagged ${name}`
  if (kind === 'list') return `${no}in ${listName(name) ?? 'a list'}`
  if (kind === 'event') return `${not ? 'never did' : 'did'} ${name}`
  if (kind === 'activity' && name === 'OPENED') return `${not ? 'never opened' : 'opened'} an email`
  if (kind === 'activity' && name === 'CLICKED') return `${not ? 'never followed' : 'followed'} a link of an email`
  if (kind === 'activity') return `${no}sent an email that is ${name}`
  return `${no}${name} ${COMPARISONS[is as 'equal']}${needsValue(line) ? ` ${value}` : ''}`
}
