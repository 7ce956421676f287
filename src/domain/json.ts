/** The deepest nesting that is accepted. Postgres and JSON.stringify give up far later; nobody needs more. */
export const MAX_JSON_DEPTH = 100

interface Place {
  value: unknown
  /** Where it is: its key in another one; nowhere for the whole. */
  key: string
  within: Place | undefined
  depth: number
}

/**
 * Finds what a parsed JSON value holds that can't be stored: a NUL or a lone surrogate in a text or a key
 * (Postgres errors 22021, 22P05 and 22P02), a number that is none (`1e400` is read as Infinity, and would be written as
 * null), or nesting that the stack or the database would refuse.
 * It walks without recursion, so that depth can't hurt it, and says where something is only once it has found it.
 *
 * @returns what is wrong and where, such as `metadata.note holds a NUL character`, or `undefined`.
 */
export function findJsonFault(value: unknown): string | undefined {
  const stack: Place[] = [{ value, key: '', within: undefined, depth: 0 }]
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { value: found, depth } = place
    if (typeof found === 'string') {
      const fault = textFault(found)
      if (fault) return `${pathOf(place) || 'the text'} ${fault}`
    } else if (typeof found === 'number') {
      if (found === Infinity || found === -Infinity)
        return `${pathOf(place) || 'the number'} is a number too large to be stored`
    } else if (typeof found === 'object' && found !== null) {
      if (depth >= MAX_JSON_DEPTH) return `${topOf(place)} is nested deeper than ${MAX_JSON_DEPTH} levels`
      const isArray = Array.isArray(found)
      for (const key of Object.keys(found)) {
        const fault = isArray ? undefined : textFault(key)
        if (fault) return `a key of ${pathOf(place) || 'the body'} ${fault}`
        stack.push({ value: (found as Record<string, unknown>)[key], key, within: place, depth: depth + 1 })
      }
    }
  }
  return undefined
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
