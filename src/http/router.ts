import Router from '@koa/router'
import type { ApiDependencies } from './dependencies.ts'
import { authorize } from './middleware/authorize.ts'
import { handle } from './middleware/handle.ts'
import { handleOpen } from './middleware/handle-open.ts'
import { idempotency } from './middleware/idempotency.ts'
import { parseRequest } from './middleware/parse-request.ts'
import type { Operation } from './operation.ts'
import { wrongMethod } from './wrong-method.ts'
import type { RunOperation } from './run-operation.ts'
import { type ApiContext, type ApiState, callerOf } from './state.ts'

/**
 * Routes requests to operations. For each method, a literal path takes precedence over one with parameters (OpenAPI 3.1, section
 * 4.8.8.1): `GET /contacts/bulk` does not look for a contact named "bulk".
 */
export function createRouter(
  prefix: string,
  operations: readonly Operation[],
  dependencies: ApiDependencies,
  run: RunOperation,
): Router<ApiState> {
  // Strict: a client that resolves `/contacts/{id}/tags/..` (RFC 3986, section 5.2.4) asks for `/contacts/{id}/`, which must not be
  // the contact.
  const router = new Router<ApiState>({ prefix, strict: true })
  const byPath = Map.groupBy(operations, ({ path }) => path)
  const countParameters = (path: string) => path.split('{').length
  for (const [path, ofPath] of [...byPath].toSorted(([a], [b]) => countParameters(a) - countParameters(b))) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    for (const operation of ofPath) {
      const pipeline = operation.open
        ? [authorize(operation), parseRequest(operation), handleOpen(operation, dependencies)]
        : [authorize(operation), parseRequest(operation), idempotency(operation, dependencies), handle(operation, run)]
      router.register(pattern, [operation.method], pipeline)
    }
    router.all(pattern, methodNotAllowed(ofPath))
  }
  return router
}

/** Responds with 405 and the methods of a path (RFC 9110, section 15.5.6). */
const methodNotAllowed = (operations: readonly Operation[]) => {
  const allow = operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  const isOpen = operations.some(({ open }) => open === 'anybody')
  return (ctx: ApiContext) => {
    if (!isOpen) callerOf(ctx)
    throw wrongMethod(ctx, allow)
  }
}
