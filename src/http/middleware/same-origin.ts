import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'
import { assertOwnOrigin, sessionTokenOf } from '../visitor.ts'

/**
 * Rejects changes that a page of another site makes a browser request. A browser sends an API key only for a page of its own, except
 * for basic authentication, which it may remember.
 */
export const sameOrigin = (): Middleware<ApiState> =>
  async function sameOrigin(ctx, next) {
    const authorization = ctx.get('Authorization')
    const hasKey = (authorization !== '' && !/^Basic /i.test(authorization)) || ctx.get('x-api-key') !== ''
    if (!hasKey) assertOwnOrigin(ctx, ctx.state.visitor, sessionTokenOf(ctx, ctx.state.visitor) !== undefined)
    await next()
  }
