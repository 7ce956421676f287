import type { EntityManager } from './db/orm.ts'
import { newId } from './ids.ts'

/** The request that a service works for. */
export interface Call {
  /** Names what the call makes: every attempt of a call that is repeated with its Idempotency-Key has the same. */
  id: string
  /** Whether an earlier attempt may have done some of it already: only of what is not in the database alone. */
  retried: boolean
  /** What its log lines and the memos of its enrollments say. */
  requestId: string | null
  /** What is to be done when the transaction that the call runs in is committed. */
  afterCommit: (() => Promise<void>)[]
  /** Writes the audit entry of the call, for operations that say `audit: 'by-handler'`: in the transaction that makes the change. */
  audit(em: EntityManager): Promise<void>
}

/** A call that nobody has made before. */
export const newCall = (requestId: string | null = null): Call => ({
  id: newId(),
  retried: false,
  requestId,
  afterCommit: [],
  audit: () => Promise.resolve(),
})

/** Does something when what a call wrote is durable: after its transaction, or at once where it is in none. */
export async function whenDurable({ em }: { em: EntityManager }, call: Call, run: () => Promise<void>): Promise<void> {
  if (em.isInTransaction()) call.afterCommit.push(run)
  else await run()
}
