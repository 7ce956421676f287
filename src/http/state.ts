import type { RouterContext } from '@koa/router'
import type { Caller } from '../workspaces/index.ts'

/** What the middleware has learnt of a request by the time its handler runs. */
export interface ApiState {
  requestId: string
  caller: Caller
}

export type ApiContext = RouterContext<ApiState>
