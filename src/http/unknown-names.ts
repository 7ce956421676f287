// cspell:ignore subjekt
import type { ISchema, Schema } from 'yup'
import { isObjectSchema, resolve } from './resolve-schema.ts'
import { pointerTo } from './pointer.ts'
import { orNearest } from '../platform/nearest-name.ts'

/** The maximum number of names in a warning. Further unknown names are mostly repetitions of one mistake. */
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

/**
 * Finds the first key that an object with the metadata `closed` does not know.
 *
 * @returns its path, such as `steps[0].subjekt`, and a sentence that suggests a known one
 */
export function findForbiddenName(
  schema: ISchema<unknown> | undefined,
  value: unknown,
  path = '',
): { path: string; message: string } | undefined {
  if (typeof value !== 'object' || value === null || !schema) return undefined
  const resolved = resolve(schema, value)
  if (Array.isArray(value)) {
    const items = itemsOf(resolved)
    return firstOf(value.map((item: unknown, index) => () => findForbiddenName(items, item, `${path}[${index}]`)))
  }
  if (!isObjectSchema(resolved)) return undefined
  const known = Object.keys(resolved.fields)
  const { closed } = resolved.spec.meta ?? {}
  return firstOf(
    Object.entries(value).map(([name, inside]) => () => {
      const at = path === '' ? name : `${path}.${name}`
      if (Object.hasOwn(resolved.fields, name))
        return findForbiddenName(resolved.fields[name] as ISchema<unknown>, inside, at)
      if (closed === undefined || closed.includes(name)) return undefined
      const shown = at.slice(0, MAX_PATH_CHARACTERS)
      return { path: shown, message: `${shown} is unknown${orNearest(name, known)}` }
    }),
  )
}

const firstOf = <Found>(finders: readonly (() => Found | undefined)[]): Found | undefined => {
  for (const find of finders) {
    const found = find()
    if (found !== undefined) return found
  }
  return undefined
}

const MAX_PATH_CHARACTERS = 200

function describe(at: readonly string[], name: string, known: readonly string[]): string {
  const start = name.slice(0, MAX_NAME_CHARACTERS)
  return `${[...at, start].reduce(pointerTo, '')} is unknown and was ignored${orNearest(start, known)}`
}

/** The schema of an array's items, even if the array does not check them itself. */
const itemsOf = (schema: Schema | undefined): ISchema<unknown> | undefined =>
  (schema as { innerType?: ISchema<unknown> } | undefined)?.innerType ?? schema?.spec.meta?.variants?.[0]
