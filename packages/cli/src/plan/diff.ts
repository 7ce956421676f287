import { isDeepStrictEqual } from 'node:util'
import { asText, type JsonObject } from './convert.ts'

/** A difference in one field. */
export interface Difference {
  /** The place, such as `steps[2].subject`. */
  field: string
  before?: unknown
  after?: unknown
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isListOfSteps = (value: unknown): value is JsonObject[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item['id'] === 'string')

/** Compares two values of a file. Steps are compared by their IDs, wherever they are in their list. */
export function differencesOf(before: unknown, after: unknown, field = ''): Difference[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => differencesOf(before[key], after[key], field === '' ? key : `${field}.${key}`))
  }
  if (isListOfSteps(before ?? []) && isListOfSteps(after ?? []) && Array.isArray(before ?? after))
    return differencesOfSteps((before ?? []) as JsonObject[], (after ?? []) as JsonObject[], field)
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, n) => differencesOf(item, after[n], `${field}[${n}]`))
  return [{ field, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }]
}

function differencesOfSteps(before: readonly JsonObject[], after: readonly JsonObject[], field: string): Difference[] {
  const remaining = (steps: readonly JsonObject[], others: readonly JsonObject[]) =>
    steps.map(({ id }) => id).filter((id) => others.some((other) => other['id'] === id))
  const hasMoved = !isDeepStrictEqual(remaining(before, after), remaining(after, before))
  return [
    ...before.flatMap((step, n) =>
      after.some(({ id }) => id === step['id']) ? [] : [{ field: `${field}[${n}]`, before: step }],
    ),
    ...after.flatMap((step, n) => {
      const same = before.find(({ id }) => id === step['id'])
      return same ? differencesOf(same, step, `${field}[${n}]`) : [{ field: `${field}[${n}]`, after: step }]
    }),
    ...(hasMoved ? [{ field, before: orderOf(before), after: orderOf(after) }] : []),
  ]
}

const orderOf = (steps: readonly JsonObject[]) => steps.map(({ name, id }) => name ?? id).join(', ')

/**
 * Formats a difference as lines that begin with `+` or `-`, or as one line.
 *
 * @param isNew whether nothing was there before, so that every field is new
 */
export function formatDifference({ field, before, after }: Difference, isNew: boolean): string[] {
  if (isLong(before) || isLong(after)) {
    const changed = lineDifference(linesOf(before), linesOf(after))
    if (changed.length === 0) return [`${field}: differs only in the final line break`]
    return [`${field}:`, ...changed.map((line) => `  ${line}`)]
  }
  return [isNew ? `${field}: ${show(after)}` : `${field}: ${show(before)} → ${show(after)}`]
}

const isLong = (value: unknown): boolean => typeof value === 'string' && (value.includes('\n') || value.length > 100)
const linesOf = (value: unknown): string[] => (value === undefined ? [] : asText(value).replace(/\n$/, '').split('\n'))

const MAX_SHOWN = 200
/** Shows a value on one line. Of a step, the type and what it says are enough. */
function show(value: unknown): string {
  if (value === undefined) return '(none)'
  const text = JSON.stringify(isObject(value) && 'type' in value ? summaryOf(value) : value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

const summaryOf = ({ type, name, subject, template }: JsonObject) => ({ type, name, subject, template })

const MAX_LINES = 2_000

/** Lists the lines that differ, by their longest common subsequence. */
function lineDifference(before: readonly string[], after: readonly string[]): string[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  if (old.length > MAX_LINES || now.length > MAX_LINES)
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)]
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i]![j] =
        old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) [i, j] = [i + 1, j + 1]
    else if (j < now.length && (i === old.length || lengths[i]![j + 1]! > lengths[i + 1]![j]!))
      lines.push(`+ ${now[j++]}`)
    else lines.push(`- ${old[i++]}`)
  }
  return lines
}
