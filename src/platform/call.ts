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
  /** Whether its answer says that this is done: whoever repeats the call meanwhile is not answered before. */
  isPromised: boolean
  /** That whoever has made the call may still do so: in each transaction, where there are several. @throws {Refusal} why not */
  assertStill(em: EntityManager): Promise<void>
  /** Tells who has made the call, and what it changed: in the transaction that changes it, where what it does is more than one. */
  tell(em: EntityManager): Promise<void>
  /** Does a part of the call at most once, whichever attempt comes to it first. */
  doPartOnce(part: string, em: EntityManager, run: (em: EntityManager) => Promise<unknown>): Promise<void>
}

/** A call that nobody has made before. */
export const newCall = (requestId: string | null = null): Call => ({
  id: newId(),
  retried: false,
  requestId,
  afterCommit: [],
  isPromised: false,
  assertStill: () => Promise.resolve(),
  tell: () => Promise.resolve(),
  async doPartOnce(_part, em, run) {
    await run(em)
  },
})

/** Does something when what a call wrote is durable: after its transaction, or at once where it is in none. */
export async function whenDurable({ em }: { em: EntityManager }, call: Call, run: () => Promise<void>): Promise<void> {
  if (em.isInTransaction()) call.afterCommit.push(run)
  else await run()
}

/** The same for what an answer promises, such as that no email flows behind it: see `isPromised`. */
export async function beforeAnswered(
  dependencies: { em: EntityManager },
  call: Call,
  run: () => Promise<void>,
): Promise<void> {
  call.isPromised = true
  await whenDurable(dependencies, call, run)
}
