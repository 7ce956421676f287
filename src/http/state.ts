import type { RouterContext } from '@koa/router'
import type { ParsedUrlQuery } from 'node:querystring'
import type { ApiError } from '../platform/api-error.ts'
import type { Caller } from './caller.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Body } from './body.ts'
import type { IdempotentAttempt } from './idempotent-attempt.ts'
import type { Visitor } from './visitor.ts'

/** State of a request. Each middleware adds its own part. */
export interface ApiState {
  requestId: string
  /** Set by `authenticate`. */
  visitor: Visitor
  rateLimit: RateLimit
  /** The caller, or the reason why there is none: some operations are open to anyone. */
  caller: Caller | ApiError
  /** Set by `parseRequest`. */
  query: ParsedUrlQuery
  body: Body | undefined
  /** Set by `idempotency`, if the request has a key. */
  attempt?: IdempotentAttempt
}

export type ApiContext = RouterContext<ApiState>
type Next = () => Promise<unknown>
export type ApiMiddleware = (ctx: ApiContext, next: Next) => Promise<unknown>

/** @throws {ApiError} the reason why there is no caller */
export function callerOf({ state }: { state: ApiState }): Caller {
  if ('by' in state.caller) return state.caller
  throw state.caller
}
