import { invalid } from '../../platform/api-error.ts'
import type { Context, Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** Refuses what asks for no path at all: Node takes anything as a target (RFC 9112, section 3.2), and nobody could read it. */
export const target = (): Middleware<ApiState> =>
  async function target(ctx, next) {
    if (!isRead(ctx)) throw invalid('The request asks for something that is no path and no URL')
    await next()
  }

/** By both who read it: Koa, whose own reader throws at some, and finds no path in others; and whoever makes a URL of it. */
function isRead(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string' && URL.canParse(ctx.req.url ?? '', 'http://localhost')
  } catch {
    return false
  }
}
