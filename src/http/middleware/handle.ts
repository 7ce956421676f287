import { type Call, newCall } from '../../platform/call.ts'
import { ConcurrencyLimit } from '../../platform/concurrency-limit.ts'
import { oneSpelling } from '../../platform/ids.ts'
import { BUSY, Refusal } from '../../platform/refusal.ts'
import { auditEntryOf, type RequestEntry } from '../audit-request.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { IdempotentAttempt } from '../idempotent-attempt.ts'
import { readIfMatch } from '../if-match.ts'
import { type Answer, isChange, type Operation, paramsOf } from '../operation.ts'
import { parse } from '../parse.ts'
import { parseQuery } from '../parse-query.ts'
import { respond } from '../respond.ts'
import { type ApiContext, type ApiMiddleware, callerOf } from '../state.ts'
import { logOf } from './request-id.ts'

/** Limits the requests of one workspace that hold a database connection, so that the other workspaces always find one. */
export const createWorkspaceLimit = (maxRunning: number) =>
  new ConcurrencyLimit({
    maxRunning,
    maxWaiting: 500,
    maxWaitMs: 10_000,
    createError: () => new Refusal(BUSY),
  })

/**
 * Validates a request, runs its operation and responds. A change runs in one transaction with its audit entry and its stored response,
 * unless the operation says otherwise. What takes long to check is prepared before, while no database connection is held.
 */
export function handle(operation: Operation, dependencies: ApiDependencies, limit: ConcurrencyLimit): ApiMiddleware {
  const params = paramsOf(operation)
  return async function handle(ctx) {
    const { attempt, requestId } = ctx.state
    const own = { ...dependencies, log: logOf(dependencies.log, requestId) }
    const request = await readRequest(ctx, operation, params, own)
    const prepared = await operation.prepare?.(request, own)
    const call = { ...newCall(requestId), ...(attempt && { id: attempt.id, retried: attempt.isRetry }) }
    const work: Work = {
      call,
      attempt,
      dependencies: own,
      audit: operation.audit,
      entry: { operation: operation.id, caller: request.caller, targetId: request.params['id'] ?? null, requestId },
      run: async (given) => operation.handle({ ...request, prepared, call }, given),
    }
    const runLimited = (task: () => Promise<Answer>) => limit.run(request.caller.workspace.id, task)
    if (!isChange(operation)) respond(ctx, await runLimited(() => work.run(own)))
    else if (operation.transactional === false) respond(ctx, await runOutsideTransaction(work))
    else {
      const answer = await runLimited(() => runInTransaction(work))
      await finish(work)
      respond(ctx, answer)
    }
  }
}

/** A change that is to be made. */
interface Work {
  call: Call
  attempt: IdempotentAttempt | undefined
  dependencies: ApiDependencies
  audit: Operation['audit']
  entry: RequestEntry
  run: (dependencies: ApiDependencies) => Promise<Answer>
}

/** The effect, its audit entry and its stored response are one transaction. */
function runInTransaction({ call, attempt, dependencies, audit, entry, run }: Work): Promise<Answer> {
  return dependencies.em.fork().transactional(async (em) => {
    const answer = await run({ ...dependencies, em })
    if (audit !== 'never')
      await dependencies.writeAuditEntry(em, auditEntryOf({ ...entry, targetId: entry.targetId ?? idOf(answer) }))
    await attempt?.store(em, answer, { isFinal: call.afterCommit.length === 0 })
    return answer
  })
}

/** Runs the tasks that wait for the commit. A stored response is replayed only when they are done. */
async function finish({ call, attempt, dependencies }: Work): Promise<void> {
  for (const task of call.afterCommit) await task()
  // If this fails, the lease ends by itself.
  if (call.afterCommit.length > 0) await attempt?.finish(dependencies.em.fork()).catch(() => undefined)
}

/**
 * Runs an operation whose effect is not in Postgres alone, or is more than one transaction. The audit entry is written before, unless
 * the handler writes it. If the response is lost, the next attempt repeats the operation under the same call ID.
 */
async function runOutsideTransaction({ call, attempt, dependencies, audit, entry, run }: Work): Promise<Answer> {
  const { em, log, writeAuditEntry } = dependencies
  call.audit = (em) => writeAuditEntry(em, auditEntryOf(entry))
  if (audit === undefined) await call.audit(em.fork())
  const answer = await run(dependencies)
  await attempt
    ?.store(em.fork(), answer, { isFinal: true })
    .catch((error: unknown) => log.warn({ error }, 'The response to a request with an Idempotency-Key was not stored'))
  return answer
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
    read[name] = isId ? oneSpelling(given) : ((await resolve?.(em, caller, given)) ?? given)
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
function idOf({ body }: Answer): string | null {
  const { data } = (body ?? {}) as { data?: { id?: unknown } }
  return typeof data?.id === 'string' ? data.id : null
}
