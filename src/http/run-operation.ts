import type { ParsedUrlQuery } from 'node:querystring'
import { BUSY, ApiError } from '../platform/api-error.ts'
import { newCall } from '../platform/call.ts'
import { ConcurrencyLimit } from '../platform/concurrency-limit.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { normalizeId } from '../platform/ids.ts'
import { auditEntryOf } from './audit-request.ts'
import type { Caller } from './caller.ts'
import type { ApiDependencies } from './dependencies.ts'
import type { IdempotentAttempt } from './idempotent-attempt.ts'
import { readIfMatch } from './if-match.ts'
import { logOf } from './middleware/request-id.ts'
import { type OperationResponse, isChange, type Operation, paramsOf } from './operation.ts'
import { parse } from './parse.ts'
import { parseQuery } from './parse-query.ts'
import { finish, runInTransaction, runOutsideTransaction } from './run-change.ts'
import type { Visitor } from './visitor.ts'

/** A request of a caller who may use the operation. Its path, query and body are not validated yet. */
interface GivenRequest {
  caller: Caller
  visitor: Visitor
  requestId: string
  params: Readonly<Record<string, string>>
  query: ParsedUrlQuery
  body: unknown
  /** The header `If-Match`. */
  ifMatch: string | undefined
  attempt?: IdempotentAttempt | undefined
}

export type RunOperation = (operation: Operation, given: GivenRequest) => Promise<OperationResponse>

/** Limits the requests of one workspace that hold a database connection, so that other workspaces can always get one. */
export const createWorkspaceLimit = (maxRunning: number) =>
  new ConcurrencyLimit({
    maxRunning,
    maxWaiting: 500,
    maxWaitMs: 10_000,
    createError: () => new ApiError(BUSY),
  })

/**
 * Validates a request and runs its operation. A change runs in one transaction with its audit entry and its stored response, unless
 * the operation specifies otherwise. Slow checks run first, while no database connection is held.
 */
export const createOperationRunner = (dependencies: ApiDependencies, limit: ConcurrencyLimit): RunOperation =>
  async function runOperation(operation, given) {
    const { attempt, requestId } = given
    const own = { ...dependencies, log: logOf(dependencies.log, requestId) }
    const request = await readRequest(operation, given, own)
    const prepared = await operation.prepare?.(request, own)
    const call = { ...newCall(requestId), ...(attempt && { id: attempt.id, retried: attempt.isRetry }) }
    const run = async (using: ApiDependencies) => operation.handle({ ...request, prepared, call }, using)
    const runLimited = (task: () => Promise<OperationResponse>) => limit.run(request.caller.workspace.id, task)
    if (!isChange(operation)) return runLimited(() => run(own))
    const entry = { operation: operation.id, caller: request.caller, targetId: request.params['id'] ?? null, requestId }
    const writeAudit = (em: EntityManager, answer?: OperationResponse) =>
      own.writeAuditEntry(em, auditEntryOf({ ...entry, targetId: entry.targetId ?? idOf(answer) }))
    if (operation.audit === 'by-handler') call.audit = writeAudit
    const change = { call, attempt, dependencies: own, run, ...(operation.audit === undefined && { writeAudit }) }
    const shares = attempt === undefined && operation.sharesTransaction?.(request.body) === true
    if (operation.transactional === false || shares) return runOutsideTransaction(change)
    const answer = await runLimited(() => runInTransaction(change))
    await finish(change)
    return answer
  }

/** Validates the path, the query and the body. */
async function readRequest(operation: Operation, given: GivenRequest, { em }: ApiDependencies) {
  const { caller, visitor, params, query, body, ifMatch } = given
  const read: Record<string, string> = {}
  for (const { name, isId, resolve } of paramsOf(operation)) {
    const param = params[name]!
    read[name] = isId ? normalizeId(param) : ((await resolve?.(em, caller, param)) ?? param)
  }
  return {
    params: read,
    query: operation.query ? parseQuery(operation.query, query) : {},
    body: operation.body ? parse(operation.body, body) : {},
    ifMatch: operation.ifMatch ? readIfMatch(ifMatch) : undefined,
    caller,
    visitor,
  }
}

/** The ID of the resource in a response. */
function idOf(answer: OperationResponse | undefined): string | null {
  const { data } = (answer?.body ?? {}) as { data?: { id?: unknown } }
  return typeof data?.id === 'string' ? data.id : null
}
