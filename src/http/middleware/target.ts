import { invalid } from '../../platform/api-error.ts'
import type { Context, Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** Rejects request targets that are not paths or URLs: Node accepts anything as a target (RFC 9112, section 3.2). */
export const checkRequestTarget = (): Middleware<ApiState> =>
  async function target(ctx, next) {
    if (!isRead(ctx)) throw invalid('The request target is not a path or a URL')
    await next()
  }

/** Checks both parsers: Koa's own, which throws for some targets and finds no path in others, and `URL`. */
function isRead(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string' && URL.canParse(ctx.req.url ?? '', 'http://localhost')
  } catch {
    return false
  }
}
