import { MAX_PARAMETERS, TOO_MANY_PARAMETERS, UNKNOWN_PARAMETER } from './errors.ts'
import { pointerTo } from './pointer.ts'
import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { AnyObject, InferType, ObjectSchema, Schema } from 'yup'
import { invalid, ApiError } from '../platform/api-error.ts'
import { findJsonFault } from '../platform/json.ts'
import { validate } from './parse.ts'

/**
 * Reads a query string. Koa's own reader compares each parameter with each other one, which for the thousands that a request's
 * head has room for takes most of a second.
 *
 * @throws {ApiError} `invalid` where it has too many
 */
export function readQuery(text: string): ParsedUrlQuery {
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw invalid(TOO_MANY_PARAMETERS)
  }
  return parse(text)
}

/**
 * Validates a query string by a schema, and gives what it leaves out its defaults. Only digits are a number here, and a
 * parameter that stands twice is none.
 *
 * @throws {ApiError} `invalid`, naming every parameter that is wrong.
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
      if (typeof given !== 'string') throw invalid(`${name} must be given once`, pointerTo('', name))
      values[name] = given
    }
  }
  const fault = findJsonFault(values)
  if (fault) throw invalid(fault)
  return validate(schema, values)
}

/**
 * In the address of what is to go, a `?` in an id would cut off what is behind it, and something else would go.
 *
 * @throws {ApiError} `invalid` where a query was given at all
 */
export function assertNoQuery(query: ParsedUrlQuery): void {
  const [name] = Object.keys(query)
  if (name === undefined) return
  throw new ApiError(UNKNOWN_PARAMETER, { message: `${shorten(name)} is no query parameter here; there are none` })
}

/** A name is the caller's, and can be long, and hold anything. */
const shorten = (name: string): string => JSON.stringify(name.length > 50 ? `${name.slice(0, 50)}…` : name)
