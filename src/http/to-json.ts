import { setImmediate as nextTurn } from 'node:timers/promises'

/** So much is written in one go, in characters, before others get their turn. */
const AT_A_TIME = 500_000

/**
 * Writes an answer as JSON. The items of a list are written one by one: a hundred contacts can be megabytes, and nobody
 * else shall wait for them.
 */
export async function toJson(body: unknown): Promise<string> {
  if (!isList(body)) return JSON.stringify(body)
  const { data, ...rest } = body
  const items: string[] = []
  let written = 0
  for (const item of data) {
    const text = JSON.stringify(item)
    items.push(text)
    written += text.length
    if (written > AT_A_TIME) {
      written = 0
      await nextTurn()
    }
  }
  return `{"data":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`
}

const isList = (body: unknown): body is { data: unknown[]; pagination: object } =>
  typeof body === 'object' && body !== null && 'pagination' in body && 'data' in body && Array.isArray(body.data)
