import Router from '@koa/router'
import { forbidden } from '../domain/errors.ts'
import type { ApiDependencies } from './dependencies.ts'
import { doOnce } from './idempotency.ts'
import { logOf } from './middleware/request-id.ts'
import { takesIdempotencyKey, type Operation } from './operation.ts'
import { parse } from './schemas/parse.ts'
import { parseQuery } from './schemas/parse-query.ts'
import type { ApiContext, ApiState } from './state.ts'

/**
 * Serves operations: scope → Idempotency-Key → schemas → handler. A path that is written out wins over one with
 * parameters (OpenAPI 3.1, section 4.8.8.1), for every method: `GET /contacts/bulk` asks for no contact called "bulk".
 */
export function createRouter(
  prefix: string,
  operations: readonly Operation[],
  dependencies: ApiDependencies,
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix })
  const byPath = Map.groupBy(operations, (operation) => operation.path)
  const parameters = (path: string) => path.split('{').length
  for (const [path, ofPath] of [...byPath].toSorted(([a], [b]) => parameters(a) - parameters(b))) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    for (const operation of ofPath) {
      router.register(pattern, [operation.method], (ctx: ApiContext) => serve(operation, ctx, dependencies))
    }
    router.all(pattern, methodNotAllowed(ofPath))
  }
  return router
}

/** A path that exists, asked with another method: 405, and the methods there are (RFC 9110, section 15.5.6). */
const methodNotAllowed = (operations: readonly Operation[]) => {
  const allow = operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return (ctx: ApiContext) => {
    ctx.set('Allow', allow)
    ctx.status = 405
    ctx.body = { error: `${ctx.method} is not possible here; possible: ${allow}` }
  }
}

async function serve(operation: Operation, ctx: ApiContext, dependencies: ApiDependencies): Promise<void> {
  const { caller, requestId } = ctx.state
  const { scope } = operation
  if (scope !== null && !caller.apiKey.scopes.includes(scope)) throw forbidden(`Missing required scope: ${scope}`)

  const own = { ...dependencies, log: logOf(dependencies.log, requestId) }
  const identity = {
    workspaceId: caller.workspace.id,
    requestId,
    key: takesIdempotencyKey(operation) ? (ctx.req.headers['idempotency-key'] as string | undefined) : undefined,
    method: ctx.method,
    path: ctx.path,
    rawBody: (ctx.request.rawBody as string | undefined) ?? '',
    transactional: operation.transactional ?? true,
  }
  const { status, body, replayed } = await doOnce(own, identity, async (call, dependencies) =>
    operation.handle(
      {
        params: ctx.params,
        query: operation.query ? parseQuery(operation.query, ctx.query) : {},
        body: operation.body ? parse(operation.body, ctx.request.body) : {},
        caller,
        call,
      },
      dependencies,
    ),
  )
  if (replayed) ctx.set('Idempotent-Replayed', 'true')
  ctx.status = status
  ctx.body = body
}
