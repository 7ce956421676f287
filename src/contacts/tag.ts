import { foldName } from '../triggers/index.ts'

/** The maximum length of a tag in characters, and the maximum number of tags in one request. */
export const MAX_TAG_LENGTH = 100
export const MAX_TAGS = 100

/** Normalizes tags: trimmed, and distinct without case. The first spelling is kept. */
export function uniqueTags(names: readonly string[]): { key: string; name: string }[] {
  const byKey = new Map<string, { key: string; name: string }>()
  for (const given of names) {
    const name = given.trim()
    const key = foldName(name)
    if (!byKey.has(key)) byKey.set(key, { key, name })
  }
  return [...byKey.values()]
}
