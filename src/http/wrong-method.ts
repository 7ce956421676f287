import type { Context } from 'koa'
import { ApiError } from '../platform/api-error.ts'
import { METHOD_NOT_ALLOWED } from './errors.ts'

/** Creates the error for a method that a path does not have, and lists those that it has (RFC 9110, section 15.5.6). */
export function wrongMethod(ctx: Pick<Context, 'method' | 'set'>, allow: string): ApiError {
  ctx.set('Allow', allow)
  return new ApiError(METHOD_NOT_ALLOWED, { message: `${ctx.method} is not allowed for this path. Allowed: ${allow}` })
}
