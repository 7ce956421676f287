/** The deepest nesting that is accepted. Postgres and JSON.stringify give up far later; nobody needs more. */
export const MAX_JSON_DEPTH = 100

/** An object or array in the value, and where it is. */
interface Place {
  value: object
  /** Its key in another one; nothing for the whole. */
  key: string | number
  within: Place | undefined
  depth: number
}

/**
 * Finds what a parsed JSON value holds that can't be stored: a NUL or a lone surrogate in a text or a key
 * (Postgres errors 22021, 22P05 and 22P02), a number that is none (`1e400` is read as Infinity, and would be written as
 * null), or nesting that the stack or the database would refuse.
 * It walks without recursion, so that depth can't hurt it, and says where something is only once it has found it: a
 * hundred thousand values are looked at in some milliseconds.
 *
 * @returns what is wrong and where, such as `metadata.note holds a NUL character`, or `undefined`.
 */
export function findJsonFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) {
    const fault = faultOf(value)
    return fault && `the ${typeof value === 'number' ? 'number' : 'text'} ${fault}`
  }
  const stack: Place[] = [{ value, key: '', within: undefined, depth: 0 }]
  for (let place = stack.pop(); place; place = stack.pop()) {
    if (place.depth >= MAX_JSON_DEPTH) return `${topOf(place)} is nested deeper than ${MAX_JSON_DEPTH} levels`
    const fault = Array.isArray(place.value) ? faultInArray(place, stack) : faultInObject(place, stack)
    if (fault) return fault
  }
  return undefined
}

function faultInArray(place: Place, stack: Place[]): string | undefined {
  const items = place.value as unknown[]
  for (let index = 0; index < items.length; index += 1) {
    const fault = look(items[index], index, place, stack)
    if (fault) return fault
  }
  return undefined
}

function faultInObject(place: Place, stack: Place[]): string | undefined {
  for (const key of Object.keys(place.value)) {
    const fault = textFault(key)
    if (fault) return `a key of ${pathOf(place) || 'the body'} ${fault}`
    const inIt = look((place.value as Record<string, unknown>)[key], key, place, stack)
    if (inIt) return inIt
  }
  return undefined
}

/** Looks at a value, or leaves it for later where it has others in it. */
function look(value: unknown, key: string | number, within: Place, stack: Place[]): string | undefined {
  if (typeof value === 'object' && value !== null) {
    stack.push({ value, key, within, depth: within.depth + 1 })
    return undefined
  }
  const fault = faultOf(value)
  return fault && `${pathOf({ value: within, key, within, depth: 0 })} ${fault}`
}

function faultOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textFault(value)
  return value === Infinity || value === -Infinity ? 'is a number too large to be stored' : undefined
}

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character, which cannot be stored'
  if (!text.isWellFormed()) return 'holds half of a surrogate pair, which is no Unicode text'
  return undefined
}

/** The longest path that is told: keys are the caller's, and can be as long as a body. */
const MAX_PATH_LENGTH = 200

function pathOf(place: Place): string {
  let path = ''
  for (let at = place; at.within; at = at.within) {
    const inArray = Array.isArray(at.within.value)
    path = (inArray ? `[${at.key}]` : at.within.within ? `.${at.key}` : at.key) + path
  }
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…`.toWellFormed() : path
}

/** A deep path is itself too long to read: its first part says which field it was. */
function topOf(place: Place): string {
  let top = place
  while (top.within?.within) top = top.within
  return top.within ? pathOf(top) : 'the body'
}

/** The size of a value as JSON, in UTF-8 bytes. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
