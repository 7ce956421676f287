import type { Names } from '../../components/conditions/describe-condition.ts'
import { actionOf, branchSentence } from '../builder/describe-step.ts'
import { branchesOf } from '../builder/step-tree.ts'
import { newId, readSteps, type Step } from '../builder/steps.ts'

/** A line of an outline of steps. */
export interface OutlineLine {
  depth: number
  text: string
  /** The fields that are not in the text: "timeoutMinutes: 1440". */
  more: string
  /** All fields of the step, for the comparison. */
  content: string
}

export interface ComparedLine extends OutlineLine {
  change: 'added' | 'removed' | 'same'
}

/** Lists steps with their branches, one line each. */
export function outlineOf(steps: readonly Step[], names: Names, depth = 0): OutlineLine[] {
  return steps.flatMap((step) => {
    const fields = { ...step, id: null }
    const branches = branchesOf(step)
    const content = JSON.stringify(withoutBranches(fields))
    const own = { depth, text: actionOf(step, names), more: otherFields(step), content }
    return [
      own,
      ...branches.flatMap(({ name, steps: inside }, branch) => {
        const more = branchSentence(step, branch, names) ?? ''
        return [
          { depth: depth + 1, text: name, more, content: `${name} ${more}` },
          ...outlineOf(inside, names, depth + 2),
        ]
      }),
    ]
  })
}

/** Fields that have their own lines, are in the text of a step, or are shown with the emails. */
const SHOWN = new Set([
  ...['id', 'type', 'subject', 'previewText', 'html', 'text', 'design', 'format', 'delayMinutes', 'until', 'timezone'],
  ...['eventName', 'branches', 'else', 'received', 'timedOut', 'method', 'url', 'addTags', 'removeTags'],
])

function otherFields(step: Step): string {
  const others = Object.entries(step).filter(
    ([name, value]) =>
      !SHOWN.has(name) &&
      value !== undefined &&
      value !== null &&
      value !== '' &&
      !(name === 'category' && value === 'marketing'),
  )
  return others
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

/** The steps in the branches have lines of their own. */
const withoutBranches = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      name === 'received' || name === 'timedOut' || name === 'else'
        ? [name, null]
        : name === 'branches'
          ? [name, (value as { steps: unknown }[]).map((branch) => ({ ...branch, steps: null }))]
          : [name, value],
    ),
  )

const keyOf = ({ depth, content }: OutlineLine): string => `${depth} ${content}`

/** Compares two outlines line by line: the longest common subsequence stays, all other lines were removed or added. */
export function compareOutlines(before: readonly OutlineLine[], after: readonly OutlineLine[]): ComparedLine[] {
  const [old, now] = [before.map(keyOf), after.map(keyOf)]
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i]![j] =
        old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const lines: ComparedLine[] = []
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ ...after[j]!, change: 'same' })
      i += 1
      j += 1
    } else if (j >= now.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      lines.push({ ...before[i]!, change: 'removed' })
      i += 1
    } else {
      lines.push({ ...after[j]!, change: 'added' })
      j += 1
    }
  }
  return lines
}

/** Reads the steps of a request, which may lack IDs and optional fields. @returns `undefined` if this page cannot show them */
export const readProposedSteps = (steps: unknown): Step[] | undefined => readSteps(withIds(steps))

function withIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIds)
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  const nested = ['received', 'timedOut', 'else', 'branches', 'steps'].filter((name) => name in fields)
  return {
    ...fields,
    ...Object.fromEntries(nested.map((name) => [name, withIds(fields[name])])),
    ...(typeof fields['type'] === 'string' && { id: fields['id'] ?? newId() }),
    ...(fields['type'] === 'EMAIL' && { subject: fields['subject'] ?? '' }),
  }
}
