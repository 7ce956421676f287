import Router from '@koa/router'
import Koa from 'koa'
import type { ApiDependencies } from './dependencies.ts'
import { admission } from './middleware/admission.ts'
import { drain } from './middleware/drain.ts'
import { errors } from './middleware/errors.ts'
import { requestId } from './middleware/request-id.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { target } from './middleware/target.ts'
import { trace } from './middleware/trace.ts'
import { BASE_PATH, operations } from './operations.ts'
import { createRouter } from './router.ts'
import { healthRoutes } from './routes/health.ts'
import { referenceRoutes } from './routes/reference.ts'
import type { ApiState } from './state.ts'

/**
 * The HTTP API. A request goes: id → span → errors → key and rate limit → operation: scope → body → Idempotency-Key →
 * schemas → templates → service → presenter.
 */
export function createApi(dependencies: ApiDependencies): Koa<ApiState> {
  const open = new Router<ApiState>()
  healthRoutes(open, dependencies)
  referenceRoutes(open)
  const api = createRouter(BASE_PATH, operations, dependencies)

  const app = new Koa<ApiState>()
  app.use(requestId(dependencies.log, dependencies.metrics, dependencies.isLogWatched))
  app.use(trace())
  app.use(drain())
  app.use(errors(dependencies.log))
  app.use(target())
  app.use(securityHeaders(BASE_PATH))
  app.use(open.routes())
  app.use(admission(dependencies))
  app.use(api.routes())
  // What reaches Koa's own handler is a client that went away in mid-answer.
  app.on('error', (error: Error) => dependencies.log.info({ error: error.message }, 'A connection broke'))
  return app
}
