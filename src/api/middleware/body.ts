import bodyParser from 'koa-bodyparser'
import type { Middleware } from 'koa'
import { invalid } from '../../domain/errors.ts'
import { findJsonFault } from '../../domain/json.ts'
import type { ApiState } from '../state.ts'

/** A bulk call of a thousand contacts with some kilobytes of metadata each. */
const LIMIT = '5mb'

/** Reads a JSON body and makes sure that it is an object that can be stored. Refuses in the specification's words. */
export const body = (): Middleware<ApiState>[] => [
  bodyParser({
    enableTypes: ['json'],
    jsonLimit: LIMIT,
    strict: false,
    // A key `__proto__` is data like any other: nothing of ours copies keys onto prototypes.
    ...({ onProtoPoisoning: 'ignore' } as object),
    onerror(error, ctx) {
      // What is still coming is read and dropped, so that the connection stays usable for the next request.
      ctx.req.resume()
      if ((error as { type?: string }).type === 'entity.too.large') throw invalid('Request body too large')
      throw invalid(`Malformed JSON: ${error.message}`)
    },
  }) as Middleware<ApiState>,
  async function checkBody(ctx, next) {
    if (ctx.method === 'POST' || ctx.method === 'PATCH' || ctx.method === 'PUT') {
      const { body, rawBody } = ctx.request
      if (rawBody === undefined && ctx.request.length) {
        throw invalid('The header Content-Type must be application/json')
      }
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        throw invalid('The request body must be a JSON object')
      }
      const fault = findJsonFault(body)
      if (fault) throw invalid(fault)
    }
    await next()
  },
]
