/** The deepest nesting that is accepted. The limits of Postgres and JSON.stringify are far higher, but no request needs more. */
const MAX_JSON_DEPTH = 100

/** An object or array in the value, and its location. */
interface Place {
  value: object
  /** Its key in the parent. */
  key: string | number
  within: Place | undefined
  depth: number
}

/**
 * Finds content of a parsed JSON value that cannot be stored: a NUL or a lone surrogate in a text or a key (Postgres errors
 * 22021, 22P05 and 22P02), a number out of range (`1e400` is read as Infinity, and would be written as null), or nesting that is
 * too deep for the stack or the database. It does not recurse, so depth cannot overflow the stack, and it builds a path only for
 * a fault: a hundred thousand values take a few milliseconds.
 *
 * @returns the fault and its location, such as `metadata.note holds a NUL character`, or `undefined`
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
    const fault = checkValue(items[index], index, place, stack)
    if (fault) return fault
  }
  return undefined
}

function faultInObject(place: Place, stack: Place[]): string | undefined {
  for (const key of Object.keys(place.value)) {
    const fault = textFault(key)
    if (fault) return `a key of ${pathOf(place) || 'the body'} ${fault}`
    const inIt = checkValue((place.value as Record<string, unknown>)[key], key, place, stack)
    if (inIt) return inIt
  }
  return undefined
}

/** Checks a value, or queues it if it contains others. */
function checkValue(value: unknown, key: string | number, within: Place, stack: Place[]): string | undefined {
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
  if (!text.isWellFormed()) return 'holds half of a surrogate pair, which is not valid Unicode'
  return undefined
}

/** The maximum length of a reported path: keys come from the caller, and can be as long as a body. */
const MAX_PATH_LENGTH = 200

function pathOf(place: Place): string {
  let path = ''
  for (let at = place; at.within; at = at.within) {
    const inArray = Array.isArray(at.within.value)
    path = (inArray ? `[${at.key}]` : at.within.within ? `.${at.key}` : at.key) + path
  }
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…`.toWellFormed() : path
}

/** A deep path is itself too long to read. Its first part names the field. */
function topOf(place: Place): string {
  let top = place
  while (top.within?.within) top = top.within
  return top.within ? pathOf(top) : 'the body'
}

/** The size of a value as JSON, in UTF-8 bytes. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
