import Router from '@koa/router'
import Koa from 'koa'
import type { ApiDependencies } from './dependencies.ts'
import { admission } from './middleware/admission.ts'
import { drain } from './middleware/drain.ts'
import { errors, type Limits } from './middleware/errors.ts'
import { requestId } from './middleware/request-id.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { target } from './middleware/target.ts'
import { trace } from './middleware/trace.ts'
import type { Operation } from './operation.ts'
import { createRouter } from './router.ts'
import { healthRoutes } from './health-routes.ts'
import { pageRoutes } from './page-routes.ts'
import { referenceRoutes } from './reference-routes.ts'
import { rootRoutes } from './root-routes.ts'
import { type ApiContext, type ApiState, callerOf } from './state.ts'

/** What is served. */
export interface Api {
  basePath: string
  operations: readonly Operation[]
  /** The OpenAPI document of the operations. */
  document: object
  limits: Limits
  /** Pages for whoever comes by a link in an email. */
  pages: readonly ((router: Router<never>, dependencies: ApiDependencies) => void)[]
}

/**
 * The HTTP API. A request goes: id → span → errors → key and rate limit → operation: scope → body → Idempotency-Key →
 * schemas → templates → service → presenter.
 */
export function createApi(
  dependencies: ApiDependencies,
  { basePath, operations, document, limits, pages }: Api,
): Koa<ApiState> {
  const open = new Router<ApiState>()
  healthRoutes(open, dependencies)
  referenceRoutes(open, document)
  for (const add of pages) add(open as unknown as Router<never>, dependencies)
  const servePage = pageRoutes(open)
  rootRoutes(open, basePath, servePage)
  const api = createRouter(basePath, operations, dependencies)

  const app = new Koa<ApiState>()
  app.use(requestId(dependencies.log, dependencies.metrics, dependencies.isLogWatched))
  app.use(trace())
  app.use(drain())
  app.use(errors(dependencies.log, limits))
  app.use(target())
  app.use(securityHeaders(basePath))
  app.use(open.routes())
  app.use(async (ctx, next) => {
    if (!(await servePage(ctx))) await next()
  })
  app.use(admission(dependencies))
  app.use(api.routes())
  // Who is nobody is not told what there is not, either.
  app.use((ctx) => void callerOf(ctx))
  // What reaches Koa's own handler breaks in mid-answer: a client has gone away, or what is told in pieces cannot be told to its end.
  app.on('error', (error: Error, ctx?: ApiContext) => {
    const requestId = ctx?.state.requestId
    if (isOfConnection(error)) dependencies.log.info({ error, requestId }, 'A connection broke')
    else dependencies.log.error({ error, requestId }, 'An answer was broken off')
  })
  return app
}

const GONE: readonly unknown[] = [
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
]
const isOfConnection = (error: NodeJS.ErrnoException): boolean => GONE.includes(error.code)
