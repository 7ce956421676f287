import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

const ACCEPTABLE = /^[\w.:-]{1,128}$/

/** Gives every request an id, the caller's if it sent a plain one, and says it in the answer. */
export const requestId = (): Middleware<ApiState> =>
  function requestId(ctx, next) {
    const given = ctx.get('X-Request-Id')
    ctx.state.requestId = ACCEPTABLE.test(given) ? given : randomUUID()
    ctx.set('X-Request-Id', ctx.state.requestId)
    return next()
  }
