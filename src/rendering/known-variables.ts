import { nearestName } from '../platform/nearest-name.ts'
import { type UnknownVariable, type UsedVariable, VARIABLES } from './content.ts'

/** The maximum number of unknown variables in one report. */
const MAX_UNKNOWN = 5
/** The maximum edit distance to a known name. */
const MAX_DISTANCE = 3

const FIELDS = new Map(Object.entries(VARIABLES))
const KNOWN = [...FIELDS].flatMap(([root, fields]) =>
  fields === 'any' || fields.length === 0 ? [root] : fields.map((field) => `${root}.${field}`),
)

/** Merges the variables of fields or languages: one is required if it is required in any of them. */
export function mergeVariables(...all: readonly (readonly UsedVariable[])[]): UsedVariable[] {
  const isRequired = new Map<string, boolean>()
  for (const { name, isRequired: required } of all.flat())
    isRequired.set(name, isRequired.get(name) === true || required)
  return [...isRequired].map(([name, required]) => ({ name, isRequired: required }))
}

/** The variables that are never set, so that they are empty in every email. */
export function unknownVariablesOf(used: readonly UsedVariable[]): Omit<UnknownVariable, 'field'>[] {
  const names = used.map(({ name }) => name.split('.').slice(0, 2)).filter(isUnknown)
  return [...new Set(names.map((name) => name.join('.')))].slice(0, MAX_UNKNOWN).map((variable) => ({
    variable,
    nearest: nearestName(variable, KNOWN, MAX_DISTANCE),
  }))
}

function isUnknown([root = '', field]: string[]): boolean {
  const fields = FIELDS.get(root)
  return !fields || (fields !== 'any' && field !== undefined && !fields.includes(field))
}

/** The variables that a kind of email does not have, such as `event` in a campaign. */
export type Absent = readonly (keyof typeof VARIABLES)[]

/** Finds the variables that an email needs, but that are never set in it. @returns their names, each with the known one that it resembles */
export const neverSet = (used: readonly UsedVariable[], absent: Absent): Omit<UnknownVariable, 'field'>[] =>
  used
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => ({ name, path: name.split('.') }))
    .filter(({ path }) => isUnknown(path) || (absent as readonly string[]).includes(path[0]!))
    .map(({ name, path }) => ({
      variable: name,
      nearest: isUnknown(path) ? nearestName(path.slice(0, 2).join('.'), KNOWN, MAX_DISTANCE) : undefined,
    }))
