import type { Readable } from 'node:stream'
import { findUnknownNames } from './unknown-names.ts'
import { Refusal } from '../platform/refusal.ts'
import Router from '@koa/router'
import { writeEntry } from '../audit/index.ts'
import { oneSpelling, readId } from '../platform/ids.ts'
import { DEFAULT_BODY_LIMIT, readBody } from './body.ts'
import { assertMayWhenWhole, assertRoleMay, assertStillMay, isOfPeople } from './still-may.ts'
import type { Caller } from '../workspaces/index.ts'
import type { ApiDependencies } from './dependencies.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { doOnce, type IdempotentRequest } from './idempotency.ts'
import { createPieces, type InPieces } from './in-pieces.ts'
import { createLargeTurns } from './large-turns.ts'
import { readIfMatch } from './if-match.ts'
import { logOf } from './middleware/request-id.ts'
import { type Answer, isChange, paramsOf, takesIdempotencyKey, type Operation, warn } from './operation.ts'
import { METHOD_NOT_ALLOWED, missingScope, PEOPLE_ONLY, SIGNED_OUT } from './refusals.ts'
import { toJson } from './to-json.ts'
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.ts'
import { parse } from './parse.ts'
import { assertNoQuery, parseQuery, readQuery } from './parse-query.ts'
import { type ApiContext, type ApiState, callerOf } from './state.ts'

/** How long a piece of an answer is taken for, in bytes: longer than nearly all. */
const PIECE_BYTES = 512 * 1024

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
  const inPieces = createPieces()
  const byPath = Map.groupBy(operations, (operation) => operation.path)
  const parameters = (path: string) => path.split('{').length
  for (const [path, ofPath] of [...byPath].toSorted(([a], [b]) => parameters(a) - parameters(b))) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    for (const operation of ofPath) {
      const params = paramsOf(operation)
      router.register(pattern, [operation.method], (ctx: ApiContext) => {
        if (operation.open) return serveOpen(operation, operation.open, ctx, dependencies)
        assertMayAsk(operation, callerOf(ctx))
        return inTurn(operation, ctx, () => serve(operation, params, ctx, dependencies, { unread, inPieces }))
      })
    }
    router.all(pattern, methodNotAllowed(ofPath))
  }
  return router
}

/** A path that exists, asked with another method: 405, and the methods there are (RFC 9110, section 15.5.6). */
const methodNotAllowed = (operations: readonly Operation[]) => {
  const allow = operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  const isOpen = operations.some(({ open }) => open === 'anybody')
  return (ctx: ApiContext) => {
    if (!isOpen) callerOf(ctx)
    ctx.set('Allow', allow)
    throw new Refusal(METHOD_NOT_ALLOWED, { message: `${ctx.method} is not possible here; possible: ${allow}` })
  }
}

function assertMayAsk(operation: Operation, { by, scopes }: Caller): void {
  const { scope, orScope } = operation
  if (by.kind === 'key') {
    if (scope === undefined) throw new Refusal(PEOPLE_ONLY)
    const hasOther = orScope !== undefined && scopes.includes(orScope)
    if (scope !== null && !scopes.includes(scope) && !hasOther) throw new Refusal(missingScope(scope))
  } else assertRoleMay(operation, by.person.role)
}

/** Serves what is done in no workspace: it is short, nobody repeats it blindly, and nothing of it is kept. */
async function serveOpen(
  operation: Operation,
  who: NonNullable<Operation['open']>,
  ctx: ApiContext,
  dependencies: ApiDependencies,
): Promise<void> {
  const { visitor, requestId } = ctx.state
  if (who === 'account' && !visitor.session) throw new Refusal(SIGNED_OUT)
  const query = readQuery(ctx.querystring)
  if (operation.method === 'DELETE') assertNoQuery(query)
  const given = operation.body ? await readBody(ctx, operation.bodyLimit ?? DEFAULT_BODY_LIMIT) : undefined
  ctx.set(warn([...findUnknownNames(operation.query, query), ...findUnknownNames(operation.body, given?.json)]))
  const body = operation.body ? parse(operation.body, given?.json) : {}
  const params = Object.fromEntries(Object.entries(ctx.params).map(([name, text]) => [name, oneSpelling(text)]))
  const request = { params, query: {}, body, visitor } as unknown as Parameters<Operation['handle']>[0]
  await write(ctx, await operation.handle(request, { ...dependencies, log: logOf(dependencies.log, requestId) }))
}

const isInPieces = (body: unknown): body is AsyncIterable<string> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** @returns how many bytes are held until they are read */
async function write(
  ctx: ApiContext,
  { status, headers = {}, body }: Answer,
  stream?: (body: AsyncIterable<string>) => Readable,
): Promise<number> {
  for (const [name, value] of Object.entries(headers)) ctx.append(name, value)
  ctx.status = status
  // A piece is made when there is room for it: whoever reads slowly has the next one made later.
  const written = stream && isInPieces(body) ? stream(body) : Buffer.from(await toJson(body))
  ctx.body = written
  ctx.type = 'json'
  return Buffer.isBuffer(written) ? written.length : PIECE_BYTES
}

/** Whether a caller may read what it writes. */
const mayRead = ({ scope }: Operation, { scopes }: Caller): boolean =>
  (scopes as readonly (string | undefined)[]).includes(scope?.replace(/:write$/, ':read'))

/** Writes down who has changed what. */
function tellOf(
  em: EntityManager,
  {
    operation,
    caller,
    targetId,
    requestId,
  }: { operation: Operation; caller: Caller; targetId: string | null; requestId: string },
): Promise<void> {
  const { by, workspace } = caller
  const who =
    by.kind === 'key'
      ? { actor: 'key' as const, actorId: by.apiKey.id, actorName: by.apiKey.name }
      : { actor: 'person' as const, actorId: by.person.accountId, actorName: by.person.email }
  const target = targetId === null ? null : (readId(targetId) ?? null)
  return writeEntry(em, { workspaceId: workspace.id, ...who, operation: operation.id, targetId: target, requestId })
}

/** What was made. */
function idOf({ body }: Answer): string | null {
  const { data } = (body ?? {}) as { data?: { id?: unknown } }
  return typeof data?.id === 'string' ? data.id : null
}

type Params = ReturnType<typeof paramsOf>

async function serve(
  operation: Operation,
  params: Params,
  ctx: ApiContext,
  dependencies: ApiDependencies,
  { unread, inPieces }: { unread: UnreadAnswers; inPieces: InPieces },
): Promise<void> {
  const { requestId, visitor, admittedAt } = ctx.state
  const caller = callerOf(ctx)
  const { by } = caller
  const changesNothing = !isChange(operation)
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
  await assertMayWhenWhole(own.em, own.stillIn, { operation, caller, admittedAt })
  const ifMatch = operation.ifMatch ? readIfMatch(ctx.req.headers['if-match']) : undefined
  const identity: IdempotentRequest = {
    workspaceId: caller.workspace.id,
    requestId,
    key: takesIdempotencyKey(operation) ? (ctx.req.headers['idempotency-key'] as string | undefined) : undefined,
    method: ctx.method,
    path: ctx.path,
    rawBody: body?.raw ?? '',
    // Who may read is told more: that answer is not for who may not.
    mayRead: mayRead(operation, caller),
    ...(by.kind === 'person' && isOfPeople(operation) && { person: by.person.accountId }),
    assertStill: async (em) => void (await assertStillMay(em, own.stillIn, { operation, caller })),
    knowsNames: caller.scopes.some((scope) => scope.startsWith('contacts:')),
    changes: !changesNothing,
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
    return async (call, dependencies) => {
      const handle = (now = caller) =>
        operation.handle({ ...request, caller: now, prepared, call, visitor, ifMatch }, dependencies)
      if (changesNothing) return handle()
      const assertStill = (em: EntityManager) => assertStillMay(em, own.stillIn, { operation, caller, admittedAt })
      const tell = (targetId: string | null) => tellOf(dependencies.em, { operation, caller, targetId, requestId })
      const { id = null } = request.params
      if (operation.transactional !== false) {
        // Who changes who may is looked at before; all others behind what the handler locks, so that nobody waits for them.
        const isBefore = isOfPeople(operation)
        const answer = await handle(isBefore ? await assertStill(dependencies.em) : caller)
        if (!isBefore) await assertStill(dependencies.em)
        if (!operation.untold) await tell(id ?? idOf(answer))
        return answer
      }
      call.assertStill = async (em) => void (await assertStill(em))
      call.tell = async (em) => {
        await assertStill(em)
        await tellOf(em, { operation, caller, targetId: id, requestId })
      }
      // What is not in Postgres alone is told of before: that it was asked for. What tells of itself does it behind its locks, in its
      // own transaction, where it is looked at once more.
      await (operation.tells || operation.untold ? assertStill(dependencies.em) : call.tell(dependencies.em))
      return handle()
    }
  })
  if (answer.replayed) {
    ctx.set('Idempotent-Replayed', 'true')
    // What was refused did nothing, and may be about what is another workspace's.
    if (answer.status < 300) await operation.waitAgain?.(await read(), own)
  }
  const stillMay = async () => void (await assertStillMay(own.em.fork(), own.stillIn, { operation, caller }))
  const written = await write(ctx, answer, (pieces) => inPieces(caller.workspace.id, pieces, stillMay))
  // Asked again, because others were answered meanwhile. What was changed is answered in any case.
  if (changesNothing) unread.assertRoom(caller.workspace.id)
  unread.hold(caller.workspace.id, written, ctx.res)
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
