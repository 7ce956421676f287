import { defineError } from '../platform/api-error.ts'

/** The maximum size of a contact's metadata, in bytes of JSON. */
export const MAX_METADATA_BYTES = 64 * 1024

/** An object without a prototype, in which any key is data, even `__proto__`. */
const nullObject = <Value>(): Record<string, Value> => Object.create(null) as Record<string, Value>

/**
 * Splits a change of metadata into the keys to set and the keys to remove: a `null` removes.
 * The result has no prototype: a key may be called `__proto__`.
 */
export function splitMetadata(change: Record<string, unknown>): {
  set: Record<string, unknown>
  removedKeys: string[]
} {
  const set: Record<string, unknown> = nullObject()
  const removedKeys: string[] = []
  for (const [key, value] of Object.entries(change)) {
    if (value === null) removedKeys.push(key)
    else set[key] = value
  }
  return { set, removedKeys }
}

export const METADATA_TOO_LARGE = defineError(
  'invalid',
  'metadata_too_large',
  `metadata must not exceed ${MAX_METADATA_BYTES} bytes as JSON, including what is stored`,
)
