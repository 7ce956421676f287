import type { AnyObject, ISchema, Lazy, ObjectSchema, Schema } from 'yup'

/** Resolves a schema that depends on the value. */
export const resolve = (schema: ISchema<unknown>, value: unknown): Schema =>
  isLazy(schema) ? (schema.resolve({ value }) as Schema) : (schema as Schema)

const isLazy = (schema: ISchema<unknown>): schema is Lazy<unknown> => (schema as { type?: string }).type === 'lazy'
export const isObjectSchema = (schema: Schema): schema is ObjectSchema<AnyObject> => schema.type === 'object'
