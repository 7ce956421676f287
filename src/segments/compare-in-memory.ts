/**
 * The comparisons of `comparison-sql.ts` for values in memory. Both give the same result for the same values:
 * test/segments/condition-model.test.ts compares them.
 */
import { A_NUMBER } from './comparison-sql.ts'
import type { Compared } from './condition.ts'
import { durationMs } from './duration.ts'

/** Returns the value under a key, which may contain dots, or else under nested keys. */
export function atKey(value: unknown, key: string): unknown {
  const own = isObject(value) ? ownOf(value, key) : undefined
  return own === undefined && key.includes('.') ? atPath(value, key) : own
}

/**
 * Returns the value under nested keys. A number is the index in an array. Another key below an array is read in each of its
 * elements: the values are an array then.
 */
export function atPath(value: unknown, path: string): unknown {
  const keys = path.split('.')
  const one = keys.reduce<unknown>(
    (inside, key) =>
      Array.isArray(inside) ? elementOf(inside, key) : isObject(inside) ? ownOf(inside, key) : undefined,
    value,
  )
  if (one !== undefined || keys.length === 1) return one
  const all = keys.reduce<unknown[]>((found, key) => found.flatMap((each) => underKey(each, key)), [value])
  return all.length === 0 ? undefined : all
}

const underKey = (value: unknown, key: string): unknown[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter(isObject)
    .filter((each) => Object.hasOwn(each, key))
    .map((each) => each[key])

/** Compares a value in JSON. An array matches if one of its elements does. @param at milliseconds since 1970 */
export function compareJson(found: unknown, compared: Compared, at: number): boolean {
  if (compared.is === 'missing') return found === undefined || found === null
  if (compared.is === 'present') return found !== undefined && found !== null
  return Array.isArray(found)
    ? found.some((element) => compareElement(element, compared, at))
    : compareElement(found, compared, at)
}

function compareElement(found: unknown, { is, value }: Compared, at: number): boolean {
  switch (is) {
    case 'missing':
    case 'present':
      return true
    case 'equal':
      return found === value
    case 'less':
    case 'more':
      if (typeof value === 'number') return inOrder(is, numberOf(found), value)
      return typeof found === 'string' && compareText(found, { is, value: value! })
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return typeof found === 'string' && compareText(found, { is, value: value! })
    case 'before':
    case 'after':
    case 'olderThan':
      return compareTime(instantOf(found), { is, value: value! }, at)
    case 'newerThan': {
      const time = instantOf(found)
      return time > at - periodOf(value) && time <= at
    }
    case 'within': {
      const time = instantOf(found)
      return time >= at && time <= at + periodOf(value)
    }
  }
}

/** Compares a text. `contains`, `startsWith` and `endsWith` ignore case. */
export function compareText(text: string | null, { is, value }: Compared): boolean {
  if (is === 'present') return text !== null
  if (is === 'missing') return text === null
  if (text === null) return false
  switch (is) {
    case 'contains':
      return folded(text).includes(folded(value))
    case 'startsWith':
      return folded(text).startsWith(folded(value))
    case 'endsWith':
      return folded(text).endsWith(folded(value))
    case 'equal':
      return text === String(value)
    case 'less':
    case 'more':
      return inOrder(is, Buffer.compare(Buffer.from(text), Buffer.from(String(value))), 0)
    // `readCondition` rejects these for a text.
    case 'before':
    case 'after':
    case 'within':
    case 'olderThan':
    case 'newerThan':
      return false
  }
}

/** Compares a time; `NaN` is none. All times are milliseconds since 1970. */
export function compareTime(time: number, { is, value }: Compared, at: number): boolean {
  switch (is) {
    case 'present':
      return true
    case 'equal':
      return time === timeOf(value)
    case 'less':
    case 'before':
      return time < timeOf(value)
    case 'more':
    case 'after':
      return time > timeOf(value)
    case 'olderThan':
      return time < at - periodOf(value)
    case 'newerThan':
      return time > at - periodOf(value)
    // `readCondition` rejects these for a time.
    case 'missing':
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'within':
      return false
  }
}

const TIME =
  /^(?!0000)(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:0\d|1[0-5]):?[0-5]\d)?)?$/

/**
 * Reads a stored value as a time, like the function `instant_of` of the database.
 *
 * @returns milliseconds since 1970; `NaN` if it is not a time
 */
export function instantOf(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number') return NaN
  const text = String(value)
  if (/^\d{10}(\.\d{1,9})?$/.test(text)) return Number(text) * 1_000
  if (/^\d{13}$/.test(text)) return Number(text)
  const [, date = '', clock = '00:00', offset = 'Z'] = TIME.exec(text) ?? []
  const midnight = Date.parse(`${date}T00:00Z`)
  // Date.parse turns 30 February into 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return NaN
  return Date.parse(`${date}T${clock}${withColon(offset)}`)
}

/** Reads a timestamp of a condition, whose offset can be larger than those of stored values. */
const timeOf = (value: unknown): number => Date.parse(String(value).replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))

const withColon = (offset: string): string =>
  offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset

/** The length of a duration in milliseconds. */
export const periodOf = (duration: unknown): number => durationMs(String(duration)) ?? 0

const inOrder = (is: 'less' | 'more', one: number, other: number): boolean =>
  is === 'less' ? one < other : one > other

const IS_NUMBER = new RegExp(A_NUMBER)

/** A number, or a text that is one, because CSV files contain nothing but texts. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'string' && IS_NUMBER.test(value) ? Number(value) : NaN

/** Without case, and with one code for each accented letter (Unicode, NFC). */
const folded = (text: unknown): string => String(text).normalize().toLowerCase()

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ownOf = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

/** A negative index counts from the end. */
const elementOf = (array: readonly unknown[], key: string): unknown =>
  /^-?\d{1,9}$/.test(key) ? array.at(Number(key)) : undefined
