import type { Middleware } from 'koa'
import { ApiError } from '../../platform/api-error.ts'
import { responseToError } from '../error-response.ts'
import { PATH_NOT_FOUND, hasRetryAfter } from '../errors.ts'
import type { ApiState } from '../state.ts'
import type { ToApiError } from '../to-api-error.ts'

/** Callers often omit the prefix of all paths. */
const hint = (path: string): string => (path.startsWith('/api/') ? '' : '. Paths of the API start with /api/v1')

/** Turns errors into responses, for all operations: `{ "error": … }`, and headers for programs. */
export const errors = (toApiError: ToApiError): Middleware<ApiState> =>
  async function errors(ctx, next) {
    try {
      await next()
      if (ctx.status !== 404 || ctx.body !== undefined) return
      throw new ApiError(PATH_NOT_FOUND, {
        message: `Not found: ${ctx.method} ${shorten(ctx.path)}${hint(ctx.path)}`,
      })
    } catch (error) {
      const apiError = toApiError(error, ctx.state.requestId)
      const { status, headers = {}, body } = responseToError(apiError)
      ctx.status = status
      ctx.set(headers)
      ctx.body = body
      if (apiError.retryAfter !== undefined) ctx.set('Retry-After', String(apiError.retryAfter))
      else if (hasRetryAfter(apiError.kind)) ctx.set('Retry-After', '1')
    }
  }

/** The path comes from the caller and can be long. */
const shorten = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
