import { isDeepStrictEqual } from 'node:util'
import { closestMatch } from 'leven'
import type { Field, Fields, Shape } from './shapes.ts'

export type Path = readonly (string | number)[]
export type JsonObject = Record<string, unknown>

/** A shape without parts. */
export type Leaf = Exclude<Shape, { is: 'array' | 'object' | 'variant' }>

/** Returns the key whose value is the path of a file with the content: `htmlFile`. */
export const fileKeyOf = (name: string): string => `${name}File`

/** Content that is in a file of its own. */
export class InFile {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value of any type as text. A text is expected, but a file can have anything. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

const isLeaf = (shape: Shape): shape is Leaf => !['array', 'object', 'variant'].includes(shape.is)

/** Returns whether a field is left out, because it has its default. Null is the same as missing everywhere in the API. */
const isLeftOut = (value: unknown, field: Field): boolean =>
  value === null || value === undefined || (field.default !== undefined && isDeepStrictEqual(value, field.default))

const sorted = (items: unknown[], key: string | undefined): unknown[] =>
  key === undefined ? items : items.toSorted((one, other) => (textOf(one, key) < textOf(other, key) ? -1 : 1))
const textOf = (item: unknown, key: string): string => asText((item as JsonObject)[key])

/** Translates a leaf. */
type Translate = (leaf: Leaf, value: unknown, at: Path) => unknown

/**
 * Converts a value of the API: keeps the known fields in their order, and leaves out defaults.
 *
 * @param translate translates values. Content that it puts into a file is an `InFile`
 * @param isForFile whether the keys are those of files
 */
export function fromApi(fields: Fields, given: JsonObject, translate: Translate, isForFile = false): JsonObject {
  const convert = (shape: Shape, value: unknown, at: Path): unknown => {
    if (value === null || value === undefined) return value
    if (isLeaf(shape)) return translate(shape, value, at)
    if (shape.is === 'array') {
      const items = (value as unknown[]).map((item, n) => convert(shape.of, item, [...at, n]))
      return sorted(items, shape.sortedBy)
    }
    const known = shape.is === 'object' ? shape.fields : shape.fieldsOf(value as JsonObject)
    return known ? object(known, value as JsonObject, at) : value
  }
  const object = (known: Fields, value: JsonObject, at: Path): JsonObject => {
    const entries = Object.entries(known).flatMap(([name, field]) => {
      const converted = convert(field.shape, value[name], [...at, name])
      if (isLeftOut(converted, field)) return []
      const key = isForFile ? (field.key ?? name) : name
      return [converted instanceof InFile ? [fileKeyOf(key), converted.path] : [key, converted]]
    })
    return Object.fromEntries(entries) as JsonObject
  }
  return object(fields, given, [])
}

export interface FileReader {
  translate: Translate
  /** Reads content that is in a file of its own. */
  read: (path: unknown, leaf: Leaf, at: Path) => unknown
  problem: (message: string, at: Path) => void
}

/** Converts a value of a file to that of the API, without defaults. Reports unknown and missing keys. */
export function fromFile(fields: Fields, given: JsonObject, { translate, read, problem }: FileReader): JsonObject {
  const convert = (shape: Shape, value: unknown, at: Path): unknown => {
    if (value === null || value === undefined) return value
    if (isLeaf(shape)) return translate(shape, value, at)
    if (shape.is === 'array') {
      if (!Array.isArray(value)) return problem(`"${at.at(-1)}" must be a list.`, at)
      return sorted(
        value.map((item, n) => convert(shape.of, item, [...at, n])),
        shape.sortedBy,
      )
    }
    if (!isObject(value)) return problem('This must be a map of keys and values.', at)
    if (shape.is === 'object') return object(shape.fields, value, at)
    const known = shape.fieldsOf(value)
    const type = asText(value['type'])
    if (!known) return problem(`"${type}" is not a step type${orNearest(type, shape.known)}`, [...at, 'type'])
    return object(known, value, at)
  }
  const object = (known: Fields, value: JsonObject, at: Path): JsonObject => {
    const keys = new Map<string, [name: string, field: Field]>()
    for (const [name, field] of Object.entries(known)) {
      keys.set(field.key ?? name, [name, field])
      if (field.shape.is === 'text' || field.shape.is === 'json') keys.set(fileKeyOf(name), [name, field])
    }
    for (const key of Object.keys(value))
      if (!keys.has(key)) problem(`"${key}" is unknown${orNearest(key, [...keys.keys()])}`, [...at, key])
    const converted: JsonObject = {}
    for (const [key, [name, field]] of keys) {
      if (!Object.hasOwn(value, key)) continue
      if (converted[name] !== undefined) problem(`"${key}" and "${name}" exclude each other. Use one.`, [...at, key])
      const isFile = key === fileKeyOf(name) && !Object.hasOwn(known, key)
      const result = isFile
        ? read(value[key], field.shape as Leaf, [...at, key])
        : convert(field.shape, value[key], [...at, key])
      if (!isLeftOut(result, field)) converted[name] = result
    }
    for (const [name, field] of Object.entries(known))
      if (field.isRequired && !Object.hasOwn(value, field.key ?? name))
        problem(`"${field.key ?? name}" is missing.`, at)
    return converted
  }
  return object(fields, given, [])
}

/** The maximum number of known names in a message. */
const MAX_KNOWN = 20

/** The end of a message about an unknown name. */
export function orNearest(name: string, known: readonly string[]): string {
  const nearest = closestMatch(name, known, { maxDistance: Math.min(3, Math.ceil(name.length / 2)) })
  if (nearest !== undefined) return `. Did you mean "${nearest}"?`
  return known.length === 0 ? '.' : `. Known: ${known.slice(0, MAX_KNOWN).join(', ')}.`
}

/** Completes content with the defaults, because a request leaves fields unchanged that it does not have. */
export const withDefaults = (fields: Fields, content: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => ('default' in field ? [[name, field.default]] : [])),
  ),
  ...content,
})
