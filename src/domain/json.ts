/** The deepest nesting that is accepted. Postgres and JSON.stringify give up far later; nobody needs more. */
export const MAX_JSON_DEPTH = 100

/**
 * Finds what a parsed JSON value holds that can't be stored: a NUL or a lone surrogate in a text or a key
 * (Postgres errors 22021, 22P05 and 22P02), or nesting that the stack or the database would refuse.
 * It walks without recursion, so that depth can't hurt it.
 *
 * @returns what is wrong and where, such as `metadata.note holds a NUL character`, or `undefined`.
 */
export function findJsonFault(value: unknown): string | undefined {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let item = stack.pop(); item; item = stack.pop()) {
    if (typeof item.value === 'string') {
      const fault = textFault(item.value)
      if (fault) return `${item.path || 'the text'} ${fault}`
    } else if (typeof item.value === 'object' && item.value !== null) {
      if (item.depth >= MAX_JSON_DEPTH) return `${top(item.path)} is nested deeper than ${MAX_JSON_DEPTH} levels`
      for (const [key, child] of Object.entries(item.value)) {
        const fault = textFault(key)
        if (fault) return `a key of ${item.path || 'the body'} ${fault}`
        stack.push({ value: child, path: join(item.path, key, Array.isArray(item.value)), depth: item.depth + 1 })
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

const join = (path: string, key: string, inArray: boolean): string =>
  inArray ? `${path}[${key}]` : path ? `${path}.${key}` : key

/** A deep path is itself too long to read: its first part says which field it was. */
const top = (path: string): string => /^[^.[]*/.exec(path)?.[0] || 'the body'

/** The size of a value as JSON, in UTF-8 bytes. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
