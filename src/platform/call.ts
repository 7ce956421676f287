import type { EntityManager } from './db/orm.ts'
import { newId } from './ids.ts'

/** The context of the request on whose behalf a service works. */
export interface Call {
  /** Identifies the effect of the call. Every attempt with the same Idempotency-Key has the same ID. */
  id: string
  /** True if an earlier attempt may have done part of the work. Only for operations whose effect is not in the database alone. */
  retried: boolean
  /** The ID in the log lines of the request and in the memos of its enrollments. */
  requestId: string | null
  /** Tasks to run after the transaction of the call is committed. */
  afterCommit: (() => Promise<void>)[]
  /** Writes the audit entry of the call, for operations with `audit: 'by-handler'`, in the transaction that makes the change. */
  audit(em: EntityManager): Promise<void>
}

/** Creates the context of a first attempt. */
export const newCall = (requestId: string | null = null): Call => ({
  id: newId(),
  retried: false,
  requestId,
  afterCommit: [],
  audit: () => Promise.resolve(),
})

/** Runs a task when the effect of a call is durable: after its transaction, or immediately if there is none. */
export async function whenDurable({ em }: { em: EntityManager }, call: Call, run: () => Promise<void>): Promise<void> {
  if (em.isInTransaction()) call.afterCommit.push(run)
  else await run()
}
