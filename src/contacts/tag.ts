import { foldName } from '../triggers/index.ts'

/** The longest tag, in characters, and how many one call may give. */
export const MAX_TAG_LENGTH = 100
export const MAX_TAGS = 100

/** Tags as they are stored: trimmed, and compared without case; of two that are the same, the first one's spelling. */
export function uniqueTags(names: readonly string[]): { key: string; name: string }[] {
  const byKey = new Map<string, { key: string; name: string }>()
  for (const given of names) {
    const name = given.trim()
    const key = foldName(name)
    if (!byKey.has(key)) byKey.set(key, { key, name })
  }
  return [...byKey.values()]
}
