// cspell:ignore subjekt
import type { ISchema, Schema } from 'yup'
import { isObjectSchema, resolve } from './resolve-schema.ts'
import { pointerTo } from './pointer.ts'
import { orNearest } from '../platform/nearest-name.ts'

/** The maximum number of names in an error. Further unknown names are mostly repetitions of one mistake. */
const MAX_NAMES = 5
const MAX_PATH_CHARACTERS = 200

interface UnknownName {
  /** A sentence with the path, such as `steps[0].subjekt`, and the most similar known name. */
  message: string
  pointer: string
}

/**
 * Finds the first keys that no field of their object has: misspelled ones, or those of another service. Objects with the metadata
 * `open` may have any keys.
 */
export function findUnknownNames(schema: ISchema<unknown>, value: unknown): UnknownName[] {
  const found: UnknownName[] = []
  walk(schema, value, '', '')
  return found

  function walk(schema: ISchema<unknown>, value: unknown, path: string, pointer: string): void {
    if (found.length >= MAX_NAMES || typeof value !== 'object' || value === null) return
    const resolved = resolve(schema, value)
    if (Array.isArray(value)) {
      const items = itemsOf(resolved)
      if (items) value.forEach((item, n) => walk(items, item, `${path}[${n}]`, pointerTo(pointer, String(n))))
    } else if (isObjectSchema(resolved)) {
      const { open = false, ignored = [], synonyms = {}, instead = {} } = resolved.spec.meta ?? {}
      const { fields } = resolved
      for (const [name, inside] of Object.entries(value)) {
        const at = (path === '' ? name : `${path}.${name}`).slice(0, MAX_PATH_CHARACTERS)
        if (Object.hasOwn(fields, name)) walk(fields[name] as ISchema<unknown>, inside, at, pointerTo(pointer, name))
        else if (!open && !ignored.includes(name) && found.length < MAX_NAMES)
          found.push({
            message: `${at} is unknown${Object.hasOwn(instead, name) ? `. ${instead[name]}` : orNearest(name, Object.keys(fields), synonyms)}`,
            pointer: pointerTo(pointer, name.slice(0, MAX_PATH_CHARACTERS)),
          })
      }
    }
  }
}

const itemsOf = (schema: Schema): ISchema<unknown> | undefined => (schema as { innerType?: ISchema<unknown> }).innerType
