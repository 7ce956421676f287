import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { BASE_PATH, document } from '../../src/runtime/operations.ts'

interface Described {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response> }>>
  components: { responses: Record<string, Response> }
}
interface Response {
  $ref?: string
  'x-error-codes'?: string[]
  headers: Record<string, { $ref?: string }>
}

const described = strict(structuredClone(document)) as Described
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(described, 'api')
const validators = new Map<string, ValidateFunction>()

const paths = Object.keys(described.paths)
  .toSorted((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${BASE_PATH}${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))

/** Optional headers of a response. */
const OPTIONAL = ['Idempotent-Replayed', 'X-Warning', 'X-Error-Param']

/** Forbids additional properties: an undocumented field is as wrong as a missing one. */
function strict(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  for (const value of Object.values(schema)) strict(value)
  if (
    'properties' in schema &&
    'type' in schema &&
    schema.type === 'object' &&
    !('additionalProperties' in schema) &&
    !('openapi' in (schema.properties as object))
  ) {
    Object.assign(schema, { additionalProperties: false })
  }
  return schema
}

/** Returns the path of the document for the path of a request, such as `/contacts/{id}`; `undefined` if it has none. */
export const templateOf = (path: string): string | undefined =>
  paths.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))?.path

const pointer = (...parts: string[]) =>
  `api#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

/**
 * Compares a response with the OpenAPI document: its status, its headers and every field of its body. Ignores paths and methods
 * that the document does not have.
 */
export function assertDescribed(
  method: string,
  path: string,
  { status, headers, body }: { status: number; headers: Headers; body: unknown },
): void {
  const template = templateOf(path)
  const verb = method.toLowerCase()
  const operation = template === undefined ? undefined : described.paths[template]?.[verb]
  if (template === undefined || !operation) return
  const given = operation.responses[String(status)]
  assert.ok(given, `${method} ${path} returned ${status}, which the document does not list`)
  const name = given.$ref?.split('/').at(-1)
  const response = name === undefined ? given : described.components.responses[name]!
  for (const [header, { $ref }] of Object.entries(response.headers)) {
    // A header that is described inline is optional.
    if ($ref === undefined || OPTIONAL.some((name) => $ref.endsWith(name))) continue
    assert.ok(headers.has(header), `${method} ${path} returned ${status} without ${header}`)
  }
  const code = headers.get('x-error-code')
  assert.ok(
    code === null ? response['x-error-codes'] === undefined : response['x-error-codes']?.includes(code),
    `${method} ${path} returned ${status} with the code ${code}, which the document does not list`,
  )
  const at =
    name === undefined ? ['paths', template, verb, 'responses', String(status)] : ['components', 'responses', name]
  const key = pointer(...at, 'content', 'application/json', 'schema')
  const validate = validators.get(key) ?? ajv.compile({ $ref: key })
  validators.set(key, validate)
  assert.ok(
    validate(body),
    `${method} ${path} returned ${status} with a body that does not match the document: ${ajv.errorsText(validate.errors)}`,
  )
}
