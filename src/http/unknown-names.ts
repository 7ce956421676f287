import { closestMatch } from 'leven'
import type { ISchema, Schema } from 'yup'
import { isObjectSchema, resolve } from './parse.ts'
import { pointerTo } from './pointer.ts'

/** So many are told of at once, and so much of a name: whoever has more of them has mostly one, many times. */
const MOST = 5
const MAX_NAME = 50
const MAX_KNOWN = 10
/** How many letters may be other ones where a known name is meant: of a short name, half of them. */
const maxDistance = (name: string): number => Math.min(3, Math.ceil(name.length / 2))

/**
 * What was given and is ignored, because nothing reads it: a name is mostly misspelt, or not known yet. Each is told with the
 * known one that it resembles.
 *
 * @param value a body, or a query as an object
 * @returns sentences, the first few of them, in ASCII
 */
export function findUnknownNames(schema: ISchema<unknown> | undefined, value: unknown): string[] {
  const found: string[] = []
  walk(schema, value, [])
  return found

  function walk(schema: ISchema<unknown> | undefined, value: unknown, at: readonly string[]): void {
    if (found.length >= MOST || typeof value !== 'object' || value === null) return
    const resolved = schema && resolve(schema, value)
    if (Array.isArray(value)) {
      const items = itemsOf(resolved)
      if (items) value.forEach((item, index) => walk(items, item, [...at, String(index)]))
    } else if (resolved === undefined || isObjectSchema(resolved)) {
      const fields = resolved?.fields ?? {}
      for (const [name, inside] of Object.entries(value)) {
        if (Object.hasOwn(fields, name)) walk(fields[name] as ISchema<unknown>, inside, [...at, name])
        else if (found.length < MOST) found.push(inWords(at, name, Object.keys(fields)))
      }
    }
  }
}

function inWords(at: readonly string[], name: string, known: readonly string[]): string {
  const start = name.slice(0, MAX_NAME)
  const nearest = closestMatch(start, known, { maxDistance: maxDistance(name) })
  return `${[...at, start].reduce(pointerTo, '')} is unknown here, and ignored${nearest === undefined ? orKnown(known) : orMeant(nearest)}`
}

/** Where none resembles it: all of them, as long as they can be read at a glance. */
const orKnown = (known: readonly string[]): string =>
  known.length > 0 && known.length <= MAX_KNOWN ? `; known are ${known.join(', ')}` : ''

/** The end of a warning that knows a name which the given one resembles. */
export const orMeant = (nearest: string | undefined): string => (nearest === undefined ? '' : `; is ${nearest} meant?`)

/** What the items of an array are: known to its schema, or told by it where something else checks them. */
const itemsOf = (schema: Schema | undefined): ISchema<unknown> | undefined =>
  (schema as { innerType?: ISchema<unknown> } | undefined)?.innerType ?? schema?.spec.meta?.variants?.[0]
