import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Log, Metrics } from '../../outbox/index.ts'
import type { ApiState } from '../state.ts'

const ACCEPTABLE = /^[\w.:-]{1,128}$/

/**
 * Gives every request an ID (the caller's, if it sent a valid one) and returns it in the response. Logs and counts the finished
 * request under its route, because paths and queries can contain personal data.
 * @param isWatched whether a person watches the log on a terminal. Then only failed requests are logged, unless the log level is
 * debug.
 */
export const requestId = (log: Log, metrics: Metrics, isWatched: boolean): Middleware<ApiState> =>
  async function requestId(ctx, next) {
    const given = ctx.get('X-Request-Id')
    const id = ACCEPTABLE.test(given) ? given : randomUUID()
    const start = performance.now()
    ctx.state.requestId = id
    ctx.set('X-Request-Id', id)
    try {
      await next()
    } finally {
      const { _matchedRoute: route } = ctx as { _matchedRoute?: string }
      const answered = { method: ctx.method, route: route ?? null, status: ctx.status }
      const ms = performance.now() - start
      log[isWatched && ctx.status < 500 ? 'debug' : 'info'](
        { requestId: id, ...answered, ms: Math.round(ms) },
        'Answered',
      )
      metrics.answered({ ...answered, seconds: ms / 1000 })
    }
  }

/** Adds the ID of the request to each line of a log. */
export const logOf = (log: Log, requestId: string): Log => ({
  debug: (fields, message) => log.debug({ requestId, ...fields }, message),
  info: (fields, message) => log.info({ requestId, ...fields }, message),
  warn: (fields, message) => log.warn({ requestId, ...fields }, message),
  error: (fields, message) => log.error({ requestId, ...fields }, message),
})
