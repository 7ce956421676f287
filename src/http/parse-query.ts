import type { ParsedUrlQuery } from 'node:querystring'
import type { AnyObject, InferType, ObjectSchema, Schema } from 'yup'
import { invalid } from '../platform/refusal.ts'
import { findJsonFault } from '../platform/json.ts'
import { validate } from './parse.ts'

/**
 * Validates a query string by a schema, and gives what it leaves out its defaults. Only digits are a number here, a parameter
 * that stands twice is none, and one that is unknown is refused: a misspelt condition would find everything.
 *
 * @throws {Refusal} `invalid`, naming every parameter that is wrong.
 */
export function parseQuery<Known extends ObjectSchema<AnyObject>>(
  schema: Known,
  query: ParsedUrlQuery,
): InferType<Known> {
  const names = Object.keys(schema.fields)
  const unknown = Object.keys(query).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`
    throw invalid(`${shorten(unknown)} is no query parameter here; ${known}`)
  }
  const values: AnyObject = {}
  for (const [name, field] of Object.entries(schema.fields)) {
    const { type, spec } = field as Schema
    const given = Object.hasOwn(query, name) ? query[name] : undefined
    if (given === undefined) {
      if (spec.default !== undefined) values[name] = spec.default as unknown
    } else if (type === 'number') {
      values[name] = typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : NaN
    } else {
      if (typeof given !== 'string') throw invalid(`${name} must be given once`)
      values[name] = given
    }
  }
  const fault = findJsonFault(values)
  if (fault) throw invalid(fault)
  return validate(schema, values)
}

/** A name is the caller's, and can be long, and hold anything. */
const shorten = (name: string): string => JSON.stringify(name.length > 50 ? `${name.slice(0, 50)}…` : name)
