import Router from '@koa/router'
import Koa from 'koa'
import type { ApiDependencies } from './dependencies.ts'
import { authenticate } from './middleware/authenticate.ts'
import { errors } from './middleware/errors.ts'
import { rateLimit } from './middleware/rate-limit.ts'
import { recordRequest } from './middleware/record-request.ts'
import { requestId } from './middleware/request-id.ts'
import { sameOrigin } from './middleware/same-origin.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { checkRequestTarget } from './middleware/target.ts'
import { trace } from './middleware/trace.ts'
import type { Operation } from './operation.ts'
import { createRouter } from './router.ts'
import { createOperationRunner, createWorkspaceLimit, type RunOperation } from './run-operation.ts'
import { healthRoutes } from './health-routes.ts'
import { pageRoutes } from './page-routes.ts'
import { referenceRoutes } from './reference-routes.ts'
import { rootRoutes } from './root-routes.ts'
import { type ApiContext, type ApiState, callerOf } from './state.ts'
import { createErrorReader, type Limits, type ToApiError } from './to-api-error.ts'

/** The parts of the HTTP API. */
export interface Api {
  basePath: string
  operations: readonly Operation[]
  /** The OpenAPI document of the operations. */
  document: object
  limits: Limits
  /** Routes of the pages that links in emails open. */
  pages: readonly ((router: Router<never>, dependencies: ApiDependencies) => void)[]
  /** Another protocol for the operations. */
  addProtocol: AddProtocol
}

/** Adds the route of a protocol that runs operations for authenticated callers. */
export type AddProtocol = (router: Router<ApiState>, parts: { run: RunOperation; toApiError: ToApiError }) => void

/**
 * The HTTP API. Each request passes requestId → trace → recordRequest → errors → target → securityHeaders → authenticate → rateLimit →
 * sameOrigin, and then its operation's pipeline: authorize → parseRequest → idempotency → handle, which writes the audit entry.
 */
export function createApi(
  dependencies: ApiDependencies,
  { basePath, operations, document, limits, pages, addProtocol }: Api,
): Koa<ApiState> {
  const open = new Router<ApiState>()
  healthRoutes(open, dependencies)
  referenceRoutes(open, document)
  for (const add of pages) add(open as unknown as Router<never>, dependencies)
  const servePage = pageRoutes(open)
  rootRoutes(open, basePath, servePage)
  const run = createOperationRunner(dependencies, createWorkspaceLimit(dependencies.maxRequestsPerWorkspace))
  const toApiError = createErrorReader(dependencies.log, limits)
  const api = createRouter(basePath, operations, dependencies, run)
  const protocol = new Router<ApiState>({ strict: true })
  addProtocol(protocol, { run, toApiError })

  const app = new Koa<ApiState>()
  app.use(requestId(dependencies.log, dependencies.metrics, dependencies.isLogWatched))
  app.use(trace())
  app.use(recordRequest(dependencies.recordRequest, basePath))
  app.use(errors(toApiError))
  app.use(checkRequestTarget())
  app.use(securityHeaders(basePath, dependencies.publicUrl))
  app.use(open.routes())
  app.use(async (ctx, next) => {
    if (!(await servePage(ctx))) await next()
  })
  app.use(authenticate(dependencies))
  app.use(rateLimit())
  app.use(sameOrigin())
  app.use(api.routes())
  app.use(protocol.routes())
  // Unknown paths return 404 only to callers with a valid credential.
  app.use((ctx) => void callerOf(ctx))
  // Koa emits errors here that occur while a response is sent: the client disconnected, or a stream failed.
  app.on('error', (error: Error, ctx?: ApiContext) => {
    const requestId = ctx?.state.requestId
    if (isOfConnection(error)) dependencies.log.info({ error, requestId }, 'A connection failed')
    else dependencies.log.error({ error, requestId }, 'A response was cut off')
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
