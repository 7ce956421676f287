import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Schema } from 'yup'
import { isEmailAddress } from '../platform/email-address.ts'
import { jsonBytes } from '../platform/json.ts'
import { toJsonSchema, type Components } from './openapi/json-schema.ts'
import { MAX_BYTES } from './fields.ts'

/**
 * Compiles what the OpenAPI document says of a schema into a check that is ten times as fast as the schema itself, for
 * the thousand items of a bulk call. What it lets pass, the schema would let pass; what it does not, the schema explains.
 */
export function compileQuickly(schema: Schema): (value: unknown) => boolean {
  const schemas: Components = {}
  const root = toJsonSchema(schema, schemas)
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    formats: { email: (text: string) => isEmailAddress(text.trim()) },
  })
  ajv.addKeyword({ keyword: MAX_BYTES, validate: (max: number, value: unknown) => jsonBytes(value) <= max })
  return ajv.compile({ ...root, components: { schemas } })
}
