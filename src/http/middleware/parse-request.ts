import { DEFAULT_BODY_LIMIT, readBody } from '../body.ts'
import type { Operation } from '../operation.ts'
import { assertKnownParameters, readQuery } from '../parse-query.ts'
import type { ApiMiddleware } from '../state.ts'

/** Reads the query, whose names are checked here, and the JSON body. */
export const parseRequest = (operation: Operation): ApiMiddleware =>
  async function parseRequest(ctx, next) {
    const { body: bodySchema, bodyLimit = DEFAULT_BODY_LIMIT, bodyOptional } = operation
    const query = readQuery(ctx.querystring)
    if (!operation.takesAnyQuery) assertKnownParameters(operation.query, query)
    const body = bodySchema ? await readBody(ctx, bodyLimit, bodyOptional) : undefined
    Object.assign(ctx.state, { query, body })
    await next()
  }
