import Router from '@koa/router'
import Koa from 'koa'
import type { ApiDependencies } from './dependencies.ts'
import { authenticate } from './middleware/authenticate.ts'
import { body } from './middleware/body.ts'
import { errors } from './middleware/errors.ts'
import { requestId } from './middleware/request-id.ts'
import { automationRoutes } from './routes/automations.ts'
import { contactRoutes } from './routes/contacts.ts'
import { healthRoutes } from './routes/health.ts'
import { whoamiRoutes } from './routes/whoami.ts'
import type { ApiState } from './state.ts'
import { methodNotAllowed } from './middleware/method-not-allowed.ts'

export const BASE_PATH = '/api/v1'

/**
 * The HTTP API. A request goes: id → errors → key → (rate limit, its place is here) → body → route: scope → schema →
 * service → presenter.
 */
export function createApi(dependencies: ApiDependencies): Koa<ApiState> {
  const health = new Router<ApiState>()
  healthRoutes(health, dependencies)

  const api = new Router<ApiState>({ prefix: BASE_PATH })
  whoamiRoutes(api)
  contactRoutes(api, dependencies)
  automationRoutes(api, dependencies)

  const app = new Koa<ApiState>()
  app.use(requestId())
  app.use(errors(dependencies.log))
  app.use(health.routes())
  app.use(authenticate(dependencies.em))
  for (const middleware of body()) app.use(middleware)
  app.use(api.routes())
  app.use(methodNotAllowed(api))
  // What reaches Koa's own handler is a client that went away in mid-answer.
  app.on('error', (error: Error) => dependencies.log.info({ error: error.message }, 'A connection broke'))
  return app
}
