import {
  isSchema,
  ValidationError,
  type AnyObject,
  type InferType,
  type ISchema,
  type Lazy,
  type ObjectSchema,
  type Schema,
} from 'yup'
import { invalid } from '../../domain/errors.ts'
import './locale.ts'

/**
 * Validates a body and returns what the schema knows of it; unknown fields are ignored (design, section 10).
 * Types are not converted: `"5"` is no number.
 *
 * @throws {Refusal} `invalid`, naming every field that is wrong.
 */
export function parse<Known extends ObjectSchema<AnyObject>>(schema: Known, body: unknown): InferType<Known> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('The item must be an object')
  return validate(schema, known(schema, body))
}

/** Holds values to a schema as they are. @throws {Refusal} `invalid`, naming all that is wrong, each thing once. */
export function validate<Known extends ObjectSchema<AnyObject>>(schema: Known, values: unknown): InferType<Known> {
  try {
    return schema.validateSync(values, { strict: true, abortEarly: false })
  } catch (error) {
    if (error instanceof ValidationError) throw invalid([...new Set(error.errors)].join('; '))
    throw error
  }
}

/**
 * Copies what a schema knows of a value, own properties only: yup looks fields up along the prototype chain, and throws
 * a TypeError at a body key called `constructor`, `toString` or `__proto__`.
 */
function known(schema: ISchema<unknown>, value: unknown): unknown {
  const resolved = isLazy(schema) ? (schema.resolve({ value }) as Schema) : (schema as Schema)
  if (isObjectSchema(resolved) && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const copy: AnyObject = {}
    for (const [name, field] of Object.entries(resolved.fields)) {
      if (Object.hasOwn(value, name)) copy[name] = known(field as ISchema<unknown>, (value as AnyObject)[name])
    }
    return copy
  }
  const { innerType } = resolved as { innerType?: ISchema<unknown> }
  if (resolved.type === 'array' && isSchema(innerType) && Array.isArray(value)) {
    return value.map((item) => known(innerType, item))
  }
  return value
}

const isLazy = (schema: ISchema<unknown>): schema is Lazy<unknown> => (schema as { type?: string }).type === 'lazy'
const isObjectSchema = (schema: Schema): schema is ObjectSchema<AnyObject> => schema.type === 'object'
