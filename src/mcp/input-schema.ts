import type { AnyObject, ObjectSchema } from 'yup'
import { describeRequest, isRequired, type Operation, paramsOf } from '../http/index.ts'

const REVISION = {
  type: 'integer',
  minimum: 0,
  description:
    'The revision that you read. The call fails if it was changed since. 0 stands for a draft that does not exist yet.',
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
  return withoutExamples(
    JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')),
  ) as typeof schema
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

/** Leaves out examples, which would fill the context of the agent. */
function withoutExamples(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutExamples)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      key === 'examples' && Array.isArray(value) ? [] : [[key, withoutExamples(value)]],
    ),
  )
}
