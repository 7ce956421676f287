import type { AnyObject, ObjectSchema } from 'yup'
import { describeRequest, isRequired, type Operation, paramsOf } from '../http/index.ts'

const REVISION = {
  type: 'integer',
  minimum: 0,
  description:
    'The revision that you read. The call fails if the resource was changed since. 0 stands for a draft that does not exist yet.',
}

/**
 * Describes the arguments of a tool in JSON Schema 2020-12: the path parameters, the query and the body of its operation, side by
 * side, and `revision` for the header `If-Match`.
 */
export function describeArguments(operation: Operation, body: ObjectSchema<AnyObject> | undefined) {
  const components: Record<string, Record<string, unknown>> = {}
  const query = operation.query?.fields ?? {}
  const fields = body ? bodyOf(body, components) : { properties: {}, required: [] }
  const properties = {
    ...Object.fromEntries(
      paramsOf(operation).map(({ name, description }) => [name, { type: 'string', description }] as const),
    ),
    ...Object.fromEntries(
      Object.entries(query).map(([name, field]) => [
        name,
        describeRequest(field as ObjectSchema<AnyObject>, components),
      ]),
    ),
    ...fields.properties,
    ...(operation.ifMatch && { revision: REVISION }),
  }
  const required = [
    ...paramsOf(operation).map(({ name }) => name),
    ...Object.keys(query).filter((name) => isRequired(query[name] as ObjectSchema<AnyObject>)),
    ...fields.required,
    ...(operation.ifMatch ? ['revision'] : []),
  ]
  const schema = {
    type: 'object' as const,
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(components).length > 0 && { $defs: components }),
  }
  return shortened(JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'))) as typeof schema
}

function bodyOf(body: ObjectSchema<AnyObject>, components: Record<string, Record<string, unknown>>) {
  const described = describeRequest(body, components)
  const name = typeof described['$ref'] === 'string' ? described['$ref'].split('/').at(-1)! : undefined
  const whole = name === undefined ? described : components[name]!
  if (name !== undefined) delete components[name]
  return {
    properties: whole['properties'] as Record<string, unknown>,
    required: (whole['required'] ?? []) as string[],
  }
}

/** Keywords that would only fill the context of the agent. The operation still checks patterns. */
const LEFT_OUT = ['examples', 'pattern']

function shortened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortened)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([key, value]) => !LEFT_OUT.includes(key) || isProperty(value))
  return Object.fromEntries(kept.map(([key, value]) => [key, shortened(value)]))
}

/** A property with the name of a keyword has a schema as its value. */
const isProperty = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value)
