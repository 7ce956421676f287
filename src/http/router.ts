import { findUnknownNames } from './unknown-names.ts'
import { Refusal } from '../platform/refusal.ts'
import Router from '@koa/router'
import { oneSpelling } from '../platform/ids.ts'
import { DEFAULT_BODY_LIMIT, readBody } from './body.ts'
import type { Caller } from '../workspaces/index.ts'
import type { ApiDependencies } from './dependencies.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { doOnce, type IdempotentRequest } from './idempotency.ts'
import { createLargeTurns } from './large-turns.ts'
import { logOf } from './middleware/request-id.ts'
import { paramsOf, takesIdempotencyKey, type Operation, warn } from './operation.ts'
import { missingScope, METHOD_NOT_ALLOWED } from './refusals.ts'
import { toJson } from './to-json.ts'
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.ts'
import { parse } from './parse.ts'
import { assertNoQuery, parseQuery, readQuery } from './parse-query.ts'
import type { ApiContext, ApiState } from './state.ts'

/**
 * Serves operations: scope → body → Idempotency-Key → schemas → what takes long to check → handler. A path that is written out
 * wins over one with parameters (OpenAPI 3.1, section 4.8.8.1), for every method: `GET /contacts/bulk` asks for no contact
 * called "bulk".
 */
export function createRouter(
  prefix: string,
  operations: readonly Operation[],
  dependencies: ApiDependencies,
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix })
  const inTurn = createLargeTurns()
  const unread = createUnreadAnswers()
  const byPath = Map.groupBy(operations, (operation) => operation.path)
  const parameters = (path: string) => path.split('{').length
  for (const [path, ofPath] of [...byPath].toSorted(([a], [b]) => parameters(a) - parameters(b))) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    for (const operation of ofPath) {
      const params = paramsOf(operation)
      router.register(pattern, [operation.method], (ctx: ApiContext) => {
        assertScope(operation, ctx.state.caller)
        return inTurn(operation, ctx, () => serve(operation, params, ctx, dependencies, unread))
      })
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
    throw new Refusal(METHOD_NOT_ALLOWED, { message: `${ctx.method} is not possible here; possible: ${allow}` })
  }
}

function assertScope({ scope }: Operation, { scopes }: Caller): void {
  if (scope !== null && !scopes.includes(scope)) throw new Refusal(missingScope(scope))
}

/** Whether a caller may read what it writes. */
const mayRead = ({ scope }: Operation, { scopes }: Caller): boolean =>
  (scopes as readonly (string | undefined)[]).includes(scope?.replace(/:write$/, ':read'))

type Params = ReturnType<typeof paramsOf>

async function serve(
  operation: Operation,
  params: Params,
  ctx: ApiContext,
  dependencies: ApiDependencies,
  unread: UnreadAnswers,
): Promise<void> {
  const { caller, requestId } = ctx.state
  const changesNothing = operation.method === 'GET'
  const query = readQuery(ctx.querystring)
  if (operation.method === 'DELETE') assertNoQuery(query)
  unread.assertRoom(caller.workspace.id)
  const body = operation.body
    ? await readBody(ctx, operation.bodyLimit ?? DEFAULT_BODY_LIMIT, operation.bodyOptional)
    : undefined
  // Also to who is refused: what is missing may be what is misspelt.
  const unknown = [...findUnknownNames(operation.query, query), ...findUnknownNames(operation.body, body?.json)]
  ctx.set(warn(unknown))

  const own = { ...dependencies, log: logOf(dependencies.log, requestId) }
  const identity: IdempotentRequest = {
    workspaceId: caller.workspace.id,
    requestId,
    key: takesIdempotencyKey(operation) ? (ctx.req.headers['idempotency-key'] as string | undefined) : undefined,
    method: ctx.method,
    path: ctx.path,
    rawBody: body?.raw ?? '',
    // Who may read is told more: that answer is not for who may not.
    mayRead: mayRead(operation, caller),
    knowsNames: caller.scopes.some((scope) => scope.startsWith('contacts:')),
    transactional: operation.transactional ?? true,
    // Anew it holds what others wrote since: who may not read gets what it was told, which is what it gave.
    ...(operation.remake &&
      mayRead(operation, caller) && { remake: async (about) => operation.remake!(await read(), about, own) }),
  }
  const read = async () => ({
    params: await readParams(params, ctx.params, own.em, caller),
    query: operation.query ? parseQuery(operation.query, query) : {},
    body: operation.body ? parse(operation.body, body?.json) : {},
    caller,
  })
  const answer = await doOnce(own, identity, async () => {
    const request = await read()
    const prepared = await operation.prepare?.(request, own)
    return async (call, dependencies) => operation.handle({ ...request, prepared, call }, dependencies)
  })
  if (answer.replayed) {
    ctx.set('Idempotent-Replayed', 'true')
    // What was refused did nothing, and may be about what is another workspace's.
    if (answer.status < 300) await operation.waitAgain?.(await read(), own)
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) ctx.append(name, value)
  ctx.status = answer.status
  const written = Buffer.from(await toJson(answer.body))
  // Asked again, because others were answered meanwhile. What was changed is answered in any case.
  if (changesNothing) unread.assertRoom(caller.workspace.id)
  unread.hold(caller.workspace.id, written, ctx.res)
  ctx.body = written
  ctx.type = 'json'
}

/**
 * Ids of a path in one spelling, and what stands for one as that. What is no id stays as it is, and is not found, in the words
 * of the operation.
 */
async function readParams(
  params: Params,
  given: Record<string, string>,
  em: EntityManager,
  caller: Caller,
): Promise<Record<string, string>> {
  const read: Record<string, string> = {}
  for (const { name, isId, resolve } of params) {
    const text = given[name]!
    read[name] = isId ? oneSpelling(text) : ((await resolve?.(em, caller, text)) ?? text)
  }
  return read
}
