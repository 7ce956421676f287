import { invalid } from '../../platform/refusal.ts'
import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** Refuses what asks for no path at all: Node takes anything as a target (RFC 9112, section 3.2), and nobody could read it. */
export const target = (): Middleware<ApiState> =>
  async function target(ctx, next) {
    // Of another scheme than HTTP's it has no path that Koa would find.
    const { url = '' } = ctx.req
    if (!URL.canParse(url, 'http://localhost') || !/^(?:[/?*]|https?:\/\/)/i.test(url))
      throw invalid('The request asks for something that is no path and no URL')
    await next()
  }
