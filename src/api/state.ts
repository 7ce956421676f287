import type { RouterContext } from '@koa/router'
import type { Workspace } from '../db/entities/workspace.ts'
import type { ApiKey } from '../db/entities/api-key.ts'

/** What the middleware has learnt of a request by the time its handler runs. */
export interface ApiState {
  requestId: string
  apiKey: ApiKey
  workspace: Workspace
}

export type ApiContext = RouterContext<ApiState>
