import type { RouterContext } from '@koa/router'
import type { Refusal } from '../platform/refusal.ts'
import type { Caller } from '../workspaces/index.ts'
import type { Visitor } from './visitor.ts'

/** What the middleware has learnt of a request by the time its handler runs. */
export interface ApiState {
  requestId: string
  visitor: Visitor
  /** When it was let in, by `performance.now()`. */
  admittedAt: number
  /** Who asks, or why it is nobody who may: some operations are for anybody. */
  caller: Caller | Refusal
}

export type ApiContext = RouterContext<ApiState>

/** @throws {Refusal} why it is nobody who may */
export function callerOf({ state }: { state: ApiState }): Caller {
  if ('by' in state.caller) return state.caller
  throw state.caller
}
