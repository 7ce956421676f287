import { newCall } from '../../platform/call.ts'
import { ConcurrencyLimit } from '../../platform/concurrency-limit.ts'
import type { EntityManager } from '../../platform/db/orm.ts'
import { normalizeId } from '../../platform/ids.ts'
import { BUSY, ApiError } from '../../platform/api-error.ts'
import { auditEntryOf } from '../audit-request.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { readIfMatch } from '../if-match.ts'
import { type OperationResponse, isChange, type Operation, paramsOf } from '../operation.ts'
import { parse } from '../parse.ts'
import { parseQuery } from '../parse-query.ts'
import { respond } from '../respond.ts'
import { finish, runInTransaction, runOutsideTransaction } from '../run-change.ts'
import { type ApiContext, type ApiMiddleware, callerOf } from '../state.ts'
import { logOf } from './request-id.ts'

/** Limits the requests of one workspace that hold a database connection, so that other workspaces can always get one. */
export const createWorkspaceLimit = (maxRunning: number) =>
  new ConcurrencyLimit({
    maxRunning,
    maxWaiting: 500,
    maxWaitMs: 10_000,
    createError: () => new ApiError(BUSY),
  })

/**
 * Validates a request, runs its operation and responds. A change runs in one transaction with its audit entry and its stored
 * response, unless the operation specifies otherwise. Slow checks run first, while no database connection is held.
 */
export function handle(operation: Operation, dependencies: ApiDependencies, limit: ConcurrencyLimit): ApiMiddleware {
  const params = paramsOf(operation)
  return async function handle(ctx) {
    const { attempt, requestId } = ctx.state
    const own = { ...dependencies, log: logOf(dependencies.log, requestId) }
    const request = await readRequest(ctx, operation, params, own)
    const prepared = await operation.prepare?.(request, own)
    const call = { ...newCall(requestId), ...(attempt && { id: attempt.id, retried: attempt.isRetry }) }
    const run = async (given: ApiDependencies) => operation.handle({ ...request, prepared, call }, given)
    const runLimited = (task: () => Promise<OperationResponse>) => limit.run(request.caller.workspace.id, task)
    if (!isChange(operation)) return respond(ctx, await runLimited(() => run(own)))
    const entry = { operation: operation.id, caller: request.caller, targetId: request.params['id'] ?? null, requestId }
    const writeAudit = (em: EntityManager, answer?: OperationResponse) =>
      own.writeAuditEntry(em, auditEntryOf({ ...entry, targetId: entry.targetId ?? idOf(answer) }))
    if (operation.audit === 'by-handler') call.audit = writeAudit
    const change = { call, attempt, dependencies: own, run, ...(operation.audit === undefined && { writeAudit }) }
    const shares = attempt === undefined && operation.sharesTransaction?.(request.body) === true
    if (operation.transactional === false || shares) return respond(ctx, await runOutsideTransaction(change))
    const answer = await runLimited(() => runInTransaction(change))
    await finish(change)
    respond(ctx, answer)
  }
}

/** Validates the path, the query and the body. */
async function readRequest(
  ctx: ApiContext,
  operation: Operation,
  params: ReturnType<typeof paramsOf>,
  { em }: ApiDependencies,
) {
  const caller = callerOf(ctx)
  const { query, body, visitor } = ctx.state
  const read: Record<string, string> = {}
  for (const { name, isId, resolve } of params) {
    const given = ctx.params[name] as string
    read[name] = isId ? normalizeId(given) : ((await resolve?.(em, caller, given)) ?? given)
  }
  return {
    params: read,
    query: operation.query ? parseQuery(operation.query, query) : {},
    body: operation.body ? parse(operation.body, body?.json) : {},
    ifMatch: operation.ifMatch ? readIfMatch(ctx.req.headers['if-match']) : undefined,
    caller,
    visitor,
  }
}

/** The ID of the resource in a response. */
function idOf(answer: OperationResponse | undefined): string | null {
  const { data } = (answer?.body ?? {}) as { data?: { id?: unknown } }
  return typeof data?.id === 'string' ? data.id : null
}
