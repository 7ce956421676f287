import { closestMatch } from 'leven'
import type { ISchema, Schema } from 'yup'
import { isObjectSchema, resolve } from './parse.ts'
import { pointerTo } from './pointer.ts'

/** The maximum number of names in a warning. Further unknown names are mostly repetitions of one mistake. */
const MAX_NAMES = 5
const MAX_NAME_CHARACTERS = 50
const MAX_KNOWN = 10
/** The number of letters that may differ from a known name: at most half of a short name. */
const maxDistance = (name: string): number => Math.min(3, Math.ceil(name.length / 2))

/**
 * Finds names that are ignored because no field has them. Most are misspelled, or new in a later version. Each is reported with
 * the most similar known name.
 *
 * @param value a body, or a query as an object
 * @returns sentences in ASCII, for the first few names
 */
export function findUnknownNames(schema: ISchema<unknown> | undefined, value: unknown): string[] {
  const found: string[] = []
  walk(schema, value, [])
  return found

  function walk(schema: ISchema<unknown> | undefined, value: unknown, at: readonly string[]): void {
    if (found.length >= MAX_NAMES || typeof value !== 'object' || value === null) return
    const resolved = schema && resolve(schema, value)
    if (Array.isArray(value)) {
      const items = itemsOf(resolved)
      if (items) value.forEach((item, index) => walk(items, item, [...at, String(index)]))
    } else if (resolved === undefined || isObjectSchema(resolved)) {
      const fields = resolved?.fields ?? {}
      for (const [name, inside] of Object.entries(value)) {
        if (Object.hasOwn(fields, name)) walk(fields[name] as ISchema<unknown>, inside, [...at, name])
        else if (found.length < MAX_NAMES) found.push(describe(at, name, Object.keys(fields)))
      }
    }
  }
}

function describe(at: readonly string[], name: string, known: readonly string[]): string {
  const start = name.slice(0, MAX_NAME_CHARACTERS)
  const nearest = closestMatch(start, known, { maxDistance: maxDistance(name) })
  return `${[...at, start].reduce(pointerTo, '')} is unknown and was ignored${nearest === undefined ? orKnown(known) : suggestion(nearest)}`
}

/** Lists all known names if none is similar and the list is short. */
const orKnown = (known: readonly string[]): string =>
  known.length > 0 && known.length <= MAX_KNOWN ? `; known names: ${known.join(', ')}` : ''

/** The end of a warning that suggests a known name. */
export const suggestion = (nearest: string | undefined): string =>
  nearest === undefined ? '' : `; did you mean ${nearest}?`

/** The schema of an array's items, even if the array does not check them itself. */
const itemsOf = (schema: Schema | undefined): ISchema<unknown> | undefined =>
  (schema as { innerType?: ISchema<unknown> } | undefined)?.innerType ?? schema?.spec.meta?.variants?.[0]
