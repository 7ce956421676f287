import { ValidationError, type AnyObject, type InferType, type ISchema, type ObjectSchema } from 'yup'
import { normalizeId } from '../platform/ids.ts'
import { invalid } from '../platform/api-error.ts'
import './locale.ts'
import { pointerOf } from './pointer.ts'
import { isObjectSchema, resolve } from './resolve-schema.ts'
import { findUnknownNames } from './unknown-names.ts'

/** Maximum number of problems in an error. Further ones are mostly repetitions. */
const MAX_PROBLEMS = 10
const MAX_MESSAGE_LENGTH = 2_000
const TOO_MANY_ITEMS = /must not exceed \d+ items$/

/** Values that a schema's test can read in addition to its own (`options.context`). */
export interface Given {
  /** The whole value, including fields that the schema does not know. */
  given: unknown
}

/**
 * Validates a body and returns its fields. Unknown fields are an error, unless the schema says otherwise. Types are not converted:
 * `"5"` is not a number.
 *
 * @throws {ApiError} `invalid_request`, naming the fields that are wrong
 */
export function parse<Known extends ObjectSchema<AnyObject>>(schema: Known, body: unknown): InferType<Known> {
  if (!isObject(body)) throw invalid('The item must be an object')
  return validate(schema, body)
}

/** Validates values by a schema. @throws {ApiError} `invalid_request`, naming the fields that are wrong */
export function validate<Known extends ObjectSchema<AnyObject>>(schema: Known, values: unknown): InferType<Known> {
  const unknown = findUnknownNames(schema, values)
  if (unknown.length > 0) throw invalid(inOneText(unknown.map(({ message }) => message)), unknown[0]!.pointer)
  const known = pickKnown(schema, values)
  const context: Given = { given: values }
  try {
    schema.validateSync(known, { strict: true, abortEarly: false, disableStackTrace: true, context })
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw describe(error)
  }
  return withDefaults(schema, known as InferType<Known>)
}

const inOneText = (sentences: readonly string[]): string =>
  sentences
    .map((each) => (each.endsWith('?') ? each : `${each}.`))
    .join(' ')
    .replace(/\.$/, '')

/** Adds the defaults of fields that are missing. yup does not in its strict mode, which converts nothing. */
function withDefaults<Known extends ObjectSchema<AnyObject>>(
  schema: Known,
  values: InferType<Known>,
): InferType<Known> {
  const defaults = Object.entries(schema.fields).flatMap(([name, field]) => {
    const { type, spec } = field as unknown as { type: string; spec: { default?: unknown } }
    const isSimple = type === 'number' || type === 'string' || type === 'boolean'
    return isSimple && spec.default !== undefined && values[name] === undefined ? [[name, spec.default]] : []
  })
  return { ...values, ...(Object.fromEntries(defaults) as object) }
}

/**
 * Copies the part of a value that a schema knows, and writes IDs in their canonical form. Only own properties are copied, so that keys
 * such as `__proto__` and `constructor` never reach yup.
 */
function pickKnown(schema: ISchema<unknown>, value: unknown): unknown {
  const resolved = resolve(schema, value)
  if (isObjectSchema(resolved) && isObject(value)) {
    const names = Object.keys(resolved.fields).filter((name) => Object.hasOwn(value, name))
    return Object.fromEntries(
      names.map((name) => [name, pickKnown(resolved.fields[name] as ISchema<unknown>, value[name])]),
    )
  }
  const { innerType } = resolved as { innerType?: ISchema<unknown> }
  if (innerType && Array.isArray(value)) return value.map((item) => pickKnown(innerType, item))
  return typeof value === 'string' && resolved.spec.meta?.isId ? normalizeId(value) : value
}

/** Describes the first problems, each once. */
function describe({ inner }: ValidationError) {
  const paths = new Map<string, string>()
  // The items of an array that is too long are not described.
  const tooLong = inner.filter(({ message }) => TOO_MANY_ITEMS.test(message)).map(({ path }) => `${path}[`)
  for (const { message, path = '' } of inner)
    if (!paths.has(message) && !tooLong.some((start) => path.startsWith(start))) paths.set(message, path)
  // yup also reports an empty text as missing: "must not be empty" is enough.
  for (const [message, path] of paths) if (message === `${path} must not be empty`) paths.delete(`${path} is required`)
  const messages = [...paths.keys()]
  const shown = messages.slice(0, MAX_PROBLEMS).join('; ')
  const message = shown.length > MAX_MESSAGE_LENGTH ? `${shown.slice(0, MAX_MESSAGE_LENGTH)}…` : shown
  return invalid(messages.length > MAX_PROBLEMS ? `${message}; and more` : message, pointerOf(paths.get(messages[0]!)!))
}

const isObject = (value: unknown): value is AnyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
