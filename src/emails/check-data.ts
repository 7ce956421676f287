import { pointerTo } from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Absent, UsedVariable } from '../rendering/index.ts'
import { assertVariablesExist, VARIABLE_MISSING } from '../templates/index.ts'

/** The maximum number of variables in an error or a warning. */
const MAX_NAMES = 5
/** A transactional email belongs to no automation. */
const ABSENT: Absent = ['event', 'steps', 'confirmUrl']

type Data = Readonly<Record<string, unknown>>

/**
 * Checks that the data of an email has every variable that its template uses without a default. Null is a missing value, too.
 * @throws {ApiError} `variable_missing`
 */
export function assertDataComplete(variables: readonly UsedVariable[], data: Data): void {
  assertVariablesExist(variables, ABSENT, { path: 'The template of templateId', pointer: '/templateId' })
  const missing = variables.filter(({ name, isRequired }) => isRequired && isMissing(name, data))
  if (missing.length === 0) return
  const names = missing.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = missing.length > MAX_NAMES ? ` and ${missing.length - MAX_NAMES} more` : ''
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  throw new ApiError(VARIABLE_MISSING, {
    message:
      `${names.join(', ')}${more} ${are} missing. The template uses ${them} without a default. Send ${them}, or add a ` +
      `default to the template, such as {{ ${names[0]} | default: "" }}`,
    param: names[0]!.split('.').reduce(pointerTo, ''),
  })
}

/** Warnings about data that the template does not use, as ASCII for a header */
export function unusedData(variables: readonly UsedVariable[], data: Data): string[] {
  const paths = variables.map(({ name }) => name.split('.')).filter(([root]) => root === 'data')
  // A template that uses the whole of `data` uses every key.
  if (paths.some((path) => path.length === 1)) return []
  const used = new Set(paths.map(([, key]) => key))
  return Object.keys(data)
    .filter((key) => !used.has(key))
    .slice(0, MAX_NAMES)
    .map((key) => `/data${pointerTo('', key)} is not used by the template`)
}

function isMissing(name: string, data: Data): boolean {
  const [root, ...keys] = name.split('.')
  if (root !== 'data') return false
  let value: unknown = data
  for (const key of keys) {
    // A list has numbers and added properties only. Its items are not looked at.
    if (Array.isArray(value)) return false
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Data)[key] : null
  }
  return value === null || value === undefined
}
