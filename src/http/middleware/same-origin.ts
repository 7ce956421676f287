import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'
import { assertOwnOrigin, sessionTokenOf } from '../visitor.ts'

/** Rejects changes that a page of another site makes a browser request. Requests with an API key do not come from a browser. */
export const sameOrigin = (): Middleware<ApiState> =>
  async function sameOrigin(ctx, next) {
    const hasKey = ctx.get('Authorization') !== '' || ctx.get('x-api-key') !== ''
    if (!hasKey) assertOwnOrigin(ctx, ctx.state.visitor, sessionTokenOf(ctx, ctx.state.visitor) !== undefined)
    await next()
  }
