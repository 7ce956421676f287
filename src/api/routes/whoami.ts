import type Router from '@koa/router'
import type { ApiState } from '../state.ts'

/** Tells a caller whose key this is and what it may do (specification, section 4.7). */
export function whoamiRoutes(router: Router<ApiState>): void {
  router.get('/whoami', (ctx) => {
    const { workspace, apiKey } = ctx.state
    ctx.body = {
      data: {
        workspace: { id: workspace.id, name: workspace.name, mode: workspace.mode },
        apiKey: { id: apiKey.id, name: apiKey.name, prefix: apiKey.prefix },
        scopes: apiKey.scopes,
      },
    }
  })
}
