import { MAX_PARAMETERS, TOO_MANY_PARAMETERS, UNKNOWN_PARAMETER } from './errors.ts'
import { pointerTo } from './pointer.ts'
import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { AnyObject, InferType, ObjectSchema, Schema } from 'yup'
import { invalid, ApiError } from '../platform/api-error.ts'
import { orNearest } from '../platform/nearest-name.ts'
import { findJsonFault } from '../platform/json.ts'
import { validate } from './parse.ts'

/**
 * Parses a query string. Koa's own parser compares each parameter with every other one. For the thousands of parameters that fit
 * into a request line, that takes most of a second.
 *
 * @throws {ApiError} `invalid` if it has too many parameters
 */
export function readQuery(text: string): ParsedUrlQuery {
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw invalid(TOO_MANY_PARAMETERS)
  }
  return parse(text)
}

/**
 * Validates a query string by a schema and applies its defaults. Only digits are a number, and a repeated parameter is an error.
 *
 * @throws {ApiError} `invalid`, naming every parameter that is wrong
 */
export function parseQuery<Known extends ObjectSchema<AnyObject>>(
  schema: Known,
  query: ParsedUrlQuery,
): InferType<Known> {
  const values: AnyObject = {}
  for (const [name, field] of Object.entries(schema.fields)) {
    const { type, spec } = field as Schema
    const given = Object.hasOwn(query, name) ? query[name] : undefined
    if (given === undefined) {
      if (spec.default !== undefined) values[name] = spec.default as unknown
    } else if (type === 'number') {
      values[name] = typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : NaN
    } else {
      if (typeof given !== 'string') throw invalid(`${name} must be given only once`, pointerTo('', name))
      values[name] = given
    }
  }
  const fault = findJsonFault(values)
  if (fault) throw invalid(fault)
  return validate(schema, values)
}

/**
 * Rejects query parameters that the operation does not have: a misspelled filter would return everything. After an unescaped `?` in
 * an ID, the rest of the ID is a parameter, too, and `DELETE` would find another resource.
 *
 * @throws {ApiError} `unknown_parameter`, with the most similar known name
 */
export function assertKnownParameters(schema: ObjectSchema<AnyObject> | undefined, query: ParsedUrlQuery): void {
  const known = Object.keys(schema?.fields ?? {})
  const name = Object.keys(query).find((given) => !known.includes(given))
  if (name === undefined) return
  const what = known.length === 0 ? '; it has none' : orNearest(name, known, schema?.spec.meta?.synonyms)
  throw new ApiError(UNKNOWN_PARAMETER, {
    message: `${shorten(name)} is not a query parameter of this operation${what}`,
    param: pointerTo('', name.slice(0, MAX_SHOWN)),
  })
}

const MAX_SHOWN = 50

/** The name comes from the caller. It can be long and contain any character. */
const shorten = (name: string): string =>
  JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name)
