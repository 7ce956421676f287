import type Router from '@koa/router'
import type { ApiDependencies } from './dependencies.ts'
import type { ApiState } from './state.ts'

/** Health checks for load balancers and supervisors. They need no key. */
export function healthRoutes(router: Router<ApiState>, dependencies: ApiDependencies): void {
  router.get('/healthz', (ctx) => {
    const problems = dependencies.checkHealth()
    ctx.status = problems.length === 0 ? 200 : 503
    ctx.body = problems.length === 0 ? { status: 'alive' } : { error: problems.join('; ') }
  })

  router.get('/readyz', async (ctx) => {
    const missing = await dependencies.checkReadiness()
    ctx.status = missing.length === 0 ? 200 : 503
    ctx.body = missing.length === 0 ? { status: 'ready' } : { error: `Not reachable: ${missing.join(', ')}` }
  })
}
