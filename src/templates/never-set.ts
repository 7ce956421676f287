import { ApiError } from '../platform/api-error.ts'
import { orMeant } from '../platform/nearest-name.ts'
import { type Absent, neverSet, type UsedVariable } from '../rendering/index.ts'
import { VARIABLE_MISSING } from './errors.ts'

/** The place where a variable is set, for messages about emails that do not have it. */
const WHERE: Readonly<Record<string, string>> = {
  data: 'only transactional emails have data',
  event: 'only automations with the trigger EVENT have an event',
  steps: 'only automations have steps',
  confirmUrl: 'only automations with the trigger LIST_REQUESTED have it',
}

/**
 * Checks that a template does not print a variable that no email of its kind has.
 *
 * @param absent the variables that these emails do not have
 * @param place what has the template, such as `steps[0].html`, and a JSON pointer to it
 * @throws {ApiError} `variable_missing`
 */
export function assertVariablesExist(
  used: readonly UsedVariable[],
  absent: Absent,
  { path, pointer }: { path: string; pointer: string | undefined },
): void {
  const [found] = neverSet(used, absent)
  if (!found) return
  const { variable, nearest } = found
  const root = variable.split('.', 1)[0]!
  const why = (absent as readonly string[]).includes(root) ? WHERE[root]! : 'it is not a known variable'
  throw new ApiError(VARIABLE_MISSING, {
    message:
      `${path}: {{ ${variable} }} would be empty in every email, because ${why}${orMeant(nearest)}` +
      `${nearest === undefined ? '.' : ''} Remove it, or give it a default: {{ ${variable} | default: "…" }}`,
    param: pointer,
  })
}
