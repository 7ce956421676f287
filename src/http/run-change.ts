import type { Dependencies } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { IdempotentAttempt } from './idempotent-attempt.ts'
import type { OperationResponse } from './operation.ts'

type Given = Pick<Dependencies, 'em' | 'log'>

/** A change that a request makes. */
interface Change<D extends Given> {
  call: Call
  /** Present if the request has an Idempotency-Key. */
  attempt?: IdempotentAttempt | undefined
  dependencies: D
  run: (dependencies: D) => Promise<OperationResponse>
  /** Missing if the handler writes the audit entry, or if there is none. */
  writeAudit?: (em: EntityManager, answer?: OperationResponse) => Promise<void>
}

/** Runs a change in one transaction with its audit entry and its stored response. */
export function runInTransaction<D extends Given>({ call, attempt, dependencies, run, writeAudit }: Change<D>) {
  return dependencies.em.fork().transactional(async (em) => {
    const answer = await run({ ...dependencies, em })
    await writeAudit?.(em, answer)
    await attempt?.store(em, answer, { isFinal: call.afterCommit.length === 0 })
    return answer
  })
}

/** Runs the tasks that wait for the commit. A stored response is replayed only after they are done. */
export async function finish<D extends Given>({ call, attempt, dependencies }: Change<D>): Promise<void> {
  for (const task of call.afterCommit) await task()
  // If this fails, the lease ends by itself.
  if (call.afterCommit.length > 0) await attempt?.finish(dependencies.em.fork()).catch(() => undefined)
}

/**
 * Runs a change whose effect is not in Postgres alone, or is more than one transaction. The audit entry is written first, unless
 * the handler writes it. If the response is lost, the next attempt repeats the operation under the same call ID.
 */
export async function runOutsideTransaction<D extends Given>(change: Change<D>): Promise<OperationResponse> {
  const { attempt, dependencies, run, writeAudit } = change
  const { em, log } = dependencies
  await writeAudit?.(em.fork())
  const answer = await run(dependencies)
  // The effect is durable now. If the response is not stored, the next attempt finds the effect.
  await attempt
    ?.store(em.fork(), answer, { isFinal: true })
    .catch((error: unknown) => log.warn({ error }, 'Could not store the response to a request with an Idempotency-Key'))
  return answer
}
