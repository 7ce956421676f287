import type { AnyObject, CustomSchemaMetadata, ISchema, Schema } from 'yup'

export type JsonSchema = Record<string, unknown>

/** The named schemas, each described once: `components.schemas` of the document. */
export type Components = Record<string, JsonSchema>

interface AnySchema {
  type: string
  spec: { nullable?: boolean; optional?: boolean; default?: unknown; meta?: CustomSchemaMetadata }
  fields?: Record<string, ISchema<unknown>>
  innerType?: ISchema<unknown>
  tests: { OPTIONS?: { name?: string; params?: Record<string, unknown> } }[]
  describe(): { oneOf: unknown[] }
}

const asAny = (schema: ISchema<unknown>): AnySchema => schema as unknown as AnySchema

/**
 * Describes a yup schema in JSON Schema 2020-12, as OpenAPI 3.1 requires. A schema with a `component` name is described in
 * `components` and referenced. (Existing libraries drop what they do not know. Nothing may be dropped from this document, so a
 * schema with a custom test describes it in its metadata as `json`.)
 */
function toJsonSchema(schema: ISchema<unknown>, target: Target): JsonSchema {
  const { component } = asAny(schema).spec.meta ?? {}
  if (component === undefined) return describe(asAny(schema), target)
  const { components } = target
  if (!(component in components)) {
    components[component] = {}
    components[component] = describe(asAny(schema), target)
  }
  return { $ref: `#/components/schemas/${component}` }
}

interface Target {
  components: Components
  isRequest: boolean
}

/** Describes a part of a request: objects have no unknown keys. */
export const describeRequest = (schema: ISchema<unknown>, components: Components): JsonSchema =>
  toJsonSchema(schema, { components, isRequest: true })

/** Describes a response. Later versions can have additional keys. */
export const describeResponse = (schema: ISchema<unknown>, components: Components): JsonSchema =>
  toJsonSchema(schema, { components, isRequest: false })

export const isRequired = (schema: ISchema<unknown>): boolean => asAny(schema).spec.optional === false

function describe(schema: AnySchema, target: Target): JsonSchema {
  const { meta = {}, nullable, default: fallback } = schema.spec
  const { description, example, json = {} } = meta
  const result: JsonSchema = {
    ...(description === undefined ? {} : { description }),
    ...keywords(schema, target),
    ...json,
    ...(fallback === undefined || schema.type === 'object' ? {} : { default: fallback }),
    ...(example === undefined ? {} : { examples: [example] }),
  }
  if (nullable && typeof result['type'] === 'string' && result['type'] !== 'null') {
    result['type'] = [result['type'], 'null']
  }
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined))
}

function keywords(schema: AnySchema, target: Target): JsonSchema {
  const options = schema.type === 'lazy' ? [] : schema.describe().oneOf
  const allowed = options.length > 0 ? { enum: options } : {}
  switch (schema.type) {
    case 'lazy':
      return anyVariant(schema, target)
    case 'object': {
      if (schema.spec.meta?.variants) return anyVariant(schema, target)
      const { fields = {} } = schema
      const required = Object.keys(fields).filter((name) => isRequired(fields[name]!))
      return {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(fields).map(([name, field]) => [name, toJsonSchema(field, target)]),
        ),
        ...(required.length > 0 ? { required } : {}),
        ...(target.isRequest && !schema.spec.meta?.open ? { additionalProperties: false } : {}),
      }
    }
    case 'array':
      return {
        type: 'array',
        items: schema.innerType ? toJsonSchema(schema.innerType, target) : anyVariant(schema, target),
        ...limits(schema, { min: 'minItems', max: 'maxItems' }),
      }
    case 'string':
      return { type: 'string', ...allowed, ...limits(schema, { min: 'minLength', max: 'maxLength' }) }
    case 'number': {
      const isInteger = schema.tests.some((test) => test.OPTIONS?.name === 'integer')
      return {
        type: isInteger ? 'integer' : 'number',
        ...allowed,
        ...limits(schema, { min: 'minimum', max: 'maximum' }),
      }
    }
    case 'boolean':
      return { type: 'boolean', ...allowed }
    default:
      return {}
  }
}

function anyVariant(schema: AnySchema, target: Target): JsonSchema {
  const variants = (schema.spec.meta?.variants ?? []).map((variant) => toJsonSchema(variant, target))
  return variants.length === 1 ? variants[0]! : { oneOf: variants }
}

function limits(schema: AnySchema, names: { min: string; max: string }): JsonSchema {
  const result: JsonSchema = {}
  for (const { OPTIONS: { name, params } = {} } of schema.tests) {
    if (name === 'min' || name === 'max') result[names[name]] = params?.[name]
  }
  return result
}

/** An example value that a schema accepts: its own, or one built from the examples of its parts. */
export function exampleOf(schema: ISchema<unknown>): unknown {
  const known = asAny(schema)
  const { type, spec, fields, innerType } = known
  if (spec.meta && 'example' in spec.meta) return spec.meta.example
  switch (type) {
    case 'lazy':
      return exampleOf(spec.meta?.variants?.[0] as Schema)
    case 'object':
      return Object.fromEntries(
        Object.entries((fields ?? {}) as AnyObject)
          .map(([name, field]) => [name, exampleOf(field as ISchema<unknown>)])
          .filter(([, example]) => example !== undefined),
      )
    case 'array': {
      const { variants } = asAny(innerType ?? schema).spec.meta ?? {}
      return (variants ?? (innerType ? [innerType] : [])).map((variant) => exampleOf(variant))
    }
    default:
      return known.describe().oneOf[0]
  }
}
