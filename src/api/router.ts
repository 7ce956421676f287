import Router from '@koa/router'
import type { Middleware } from 'koa'
import { forbidden } from '../domain/errors.ts'
import type { ApiDependencies } from './dependencies.ts'
import { once } from './idempotency.ts'
import { logOf } from './middleware/request-id.ts'
import { takesIdempotencyKey, type Operation } from './operation.ts'
import { parse } from './schemas/parse.ts'
import { parseQuery } from './schemas/parse-query.ts'
import type { ApiContext, ApiState } from './state.ts'

/** Serves operations: scope → Idempotency-Key → schemas → handler. */
export function createRouter(
  prefix: string,
  operations: readonly Operation[],
  dependencies: ApiDependencies,
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix })
  for (const operation of operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    router.register(path, [operation.method], (ctx: ApiContext) => serve(operation, ctx, dependencies))
  }
  return router
}

async function serve(operation: Operation, ctx: ApiContext, dependencies: ApiDependencies): Promise<void> {
  const { caller, requestId } = ctx.state
  const { scope } = operation
  if (scope !== null && !caller.apiKey.scopes.includes(scope)) throw forbidden(`Missing required scope: ${scope}`)

  const own = { ...dependencies, log: logOf(dependencies.log, requestId) }
  const identity = {
    workspaceId: caller.workspace.id,
    requestId,
    key: takesIdempotencyKey(operation) ? ctx.get('Idempotency-Key') : '',
    method: ctx.method,
    path: ctx.path,
    rawBody: (ctx.request.rawBody as string | undefined) ?? '',
  }
  const { status, body, replayed } = await once(own, identity, async (call) =>
    operation.handle(
      {
        params: ctx.params,
        query: operation.query ? parseQuery(operation.query, ctx.query) : {},
        body: operation.body ? parse(operation.body, ctx.request.body) : {},
        caller,
        call,
      },
      own,
    ),
  )
  if (replayed) ctx.set('Idempotent-Replayed', 'true')
  ctx.status = status
  ctx.body = body
}

/** A path that exists, asked with another method: 405, and the methods there are (RFC 9110, section 15.5.6). */
export const methodNotAllowed = (router: Router<ApiState>): Middleware<ApiState> =>
  function methodNotAllowed(ctx, next) {
    const methods = new Set(
      router.stack
        .filter((layer) => layer.methods.length > 0 && layer.match(ctx.path))
        .flatMap((layer) => layer.methods),
    )
    if (methods.size === 0) return next()
    ctx.set('Allow', [...methods].join(', '))
    ctx.status = 405
    ctx.body = { error: `${ctx.method} is not possible here; possible: ${[...methods].join(', ')}` }
    return undefined
  }
