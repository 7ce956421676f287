import { pointerOf } from './pointer.ts'
import {
  ValidationError,
  type AnyObject,
  type InferType,
  type ISchema,
  type Lazy,
  type ObjectSchema,
  type Schema,
} from 'yup'
import { invalid } from '../platform/refusal.ts'
import { oneSpelling } from '../platform/ids.ts'
import './locale.ts'

/** So many problems are told at once; whoever has more of them has mostly one, many times. */
const MAX_PROBLEMS = 10
const MAX_MESSAGE_LENGTH = 2_000

/**
 * Validates a body and returns what the schema knows of it; unknown fields are ignored.
 * Types are not converted: `"5"` is no number.
 *
 * @throws {Refusal} `invalid`, naming the fields that are wrong.
 */
export function parse<Known extends ObjectSchema<AnyObject>>(schema: Known, body: unknown): InferType<Known> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('The item must be an object')
  return validate(schema, body)
}

/** Holds values to a schema as they are. @throws {Refusal} `invalid`, naming what is wrong, each thing once. */
export function validate<Known extends ObjectSchema<AnyObject>>(schema: Known, values: unknown): InferType<Known> {
  const reader = new Reader()
  const known = reader.read(schema, values, '')
  const problems = [...reader.problems]
  const [first] = problems
  if (first === undefined) return known as InferType<Known>
  const told = problems
    .map(([problem]) => problem)
    .slice(0, MAX_PROBLEMS)
    .join('; ')
  const message = told.length > MAX_MESSAGE_LENGTH ? `${told.slice(0, MAX_MESSAGE_LENGTH)}…` : told
  throw invalid(problems.length > MAX_PROBLEMS ? `${message}; and more` : message, pointerOf(first[1]))
}

/**
 * Walks down a value along its schema. yup does that as well, but looks into all items of an array that is too long, and
 * on after a thousand problems; and it looks fields up along the prototype chain, and throws a TypeError at a body key
 * called `constructor`, `toString` or `__proto__`. So each part is held to its own schema alone, and what is in it
 * only once it is as long as it may be.
 */
class Reader {
  /** In words, and the path of each. */
  readonly problems = new Map<string, string>()

  read(schema: ISchema<unknown>, value: unknown, path: string): unknown {
    if (this.problems.size > MAX_PROBLEMS) return undefined
    const resolved = resolve(schema, value)
    if (!this.isItselfFine(resolved, value, path)) return undefined
    if (isObjectSchema(resolved) && isObject(value)) {
      const known: AnyObject = {}
      for (const [name, field] of Object.entries(resolved.fields)) {
        const given = Object.hasOwn(value, name)
        const read = this.read(
          field as ISchema<unknown>,
          given ? value[name] : undefined,
          path ? `${path}.${name}` : name,
        )
        if (given) known[name] = read
      }
      return known
    }
    const { innerType } = resolved as { innerType?: ISchema<unknown> }
    if (innerType && Array.isArray(value)) {
      return value.map((item, index) => this.read(innerType, item, `${path}[${index}]`))
    }
    return typeof value === 'string' && resolved.spec.meta?.isId ? oneSpelling(value) : value
  }

  private isItselfFine(schema: Schema, value: unknown, path: string): boolean {
    try {
      const context: Given = { given: value }
      const options = { strict: true, abortEarly: false, recursive: false, context, ...(path ? { path } : {}) }
      // An object's own tests look at its fields: of its own ones alone.
      schema.validateSync(isObjectSchema(schema) && isObject(value) ? ownFields(schema, value) : value, options)
      return true
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      // yup takes an empty text for one that is not there: whoever gave it is not told that it is missing.
      const isEmpty = error.errors.includes(`${path} must not be empty`)
      for (const problem of error.errors) {
        if (isEmpty && problem === `${path} is required`) continue
        if (!this.problems.has(problem)) this.problems.set(problem, path)
      }
      // The fields of an object are told besides; what is no object, or is too long, has nothing to look into.
      return isObjectSchema(schema) && isObject(value)
    }
  }
}

/** What a test of an object may look at besides its own fields: the whole that was given (`options.context`). */
export interface Given {
  given: unknown
}

function ownFields({ fields }: ObjectSchema<AnyObject>, value: AnyObject): AnyObject {
  const own: AnyObject = {}
  for (const name of Object.keys(fields)) if (Object.hasOwn(value, name)) own[name] = value[name] as unknown
  return own
}

/** What a value is held to: some schemas depend on it. */
export const resolve = (schema: ISchema<unknown>, value: unknown): Schema =>
  isLazy(schema) ? (schema.resolve({ value }) as Schema) : (schema as Schema)

const isObject = (value: unknown): value is AnyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isLazy = (schema: ISchema<unknown>): schema is Lazy<unknown> => (schema as { type?: string }).type === 'lazy'
export const isObjectSchema = (schema: Schema): schema is ObjectSchema<AnyObject> => schema.type === 'object'
