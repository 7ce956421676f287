import type { ISchema, Schema } from 'yup'
import { isObjectSchema, resolve } from './parse.ts'
import { pointerTo } from './pointer.ts'
import { orNearest } from '../platform/nearest-name.ts'

/** The maximum number of names in a warning. More unknown names are mostly repetitions of one mistake. */
const MAX_NAMES = 5
const MAX_NAME_CHARACTERS = 50

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
  return `${[...at, start].reduce(pointerTo, '')} is unknown and was ignored${orNearest(start, known)}`
}

/** The schema of an array's items, also if the array does not check them itself. */
const itemsOf = (schema: Schema | undefined): ISchema<unknown> | undefined =>
  (schema as { innerType?: ISchema<unknown> } | undefined)?.innerType ?? schema?.spec.meta?.variants?.[0]
