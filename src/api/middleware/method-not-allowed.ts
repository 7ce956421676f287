import type Router from '@koa/router'
import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** A path that exists, asked with another method: 405, and the methods there are (RFC 9110, section 15.5.6). */
export const methodNotAllowed = (router: Router<ApiState>): Middleware<ApiState> =>
  function methodNotAllowed(ctx, next) {
    const methods = new Set(
      router.stack
        .filter((layer) => layer.methods.length > 0 && layer.match(ctx.path))
        .flatMap((layer) => layer.methods),
    )
    if (methods.size === 0) return next()
    ctx.set('Allow', [...methods].join(', '))
    ctx.status = 405
    ctx.body = { error: `${ctx.method} is not possible here; possible: ${[...methods].join(', ')}` }
    return undefined
  }
