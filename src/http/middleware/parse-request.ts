import { DEFAULT_BODY_LIMIT, readBody } from '../body.ts'
import { type Operation, warn } from '../operation.ts'
import { assertNoQuery, readQuery } from '../parse-query.ts'
import type { ApiMiddleware } from '../state.ts'
import { findUnknownNames } from '../unknown-names.ts'

/**
 * Reads the query and the JSON body. Unknown names in them are ignored and reported in `X-Warning`, even if the request is
 * rejected.
 */
export const parseRequest = (operation: Operation): ApiMiddleware =>
  async function parseRequest(ctx, next) {
    const { query: querySchema, body: bodySchema, bodyLimit = DEFAULT_BODY_LIMIT, bodyOptional } = operation
    const query = readQuery(ctx.querystring)
    if (operation.method === 'DELETE') assertNoQuery(query)
    const body = bodySchema ? await readBody(ctx, bodyLimit, bodyOptional) : undefined
    ctx.set(warn([...findUnknownNames(querySchema, query), ...findUnknownNames(bodySchema, body?.json)]))
    Object.assign(ctx.state, { query, body })
    await next()
  }
