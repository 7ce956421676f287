import { MAX_PARAMETERS, TOO_MANY_PARAMETERS, UNKNOWN_PARAMETER } from './errors.ts'
import { pointerTo } from './pointer.ts'
import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { AnyObject, InferType, ObjectSchema, Schema } from 'yup'
import { invalid, ApiError } from '../platform/api-error.ts'
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
 * Rejects query parameters of a DELETE request: an unescaped `?` in an ID would cut off the rest of the ID, and another resource
 * would be deleted.
 *
 * @throws {ApiError} `invalid` if there is a query
 */
export function assertNoQuery(query: ParsedUrlQuery): void {
  const [name] = Object.keys(query)
  if (name === undefined) return
  throw new ApiError(UNKNOWN_PARAMETER, {
    message: `${shorten(name)} is not a query parameter of this operation; it has none`,
  })
}

/** The name comes from the caller. It can be long and contain any character. */
const shorten = (name: string): string => JSON.stringify(name.length > 50 ? `${name.slice(0, 50)}…` : name)
