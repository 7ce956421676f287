import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'
import { readRestoredAt } from './queries.ts'

/** Said wherever mail is held back because of it. */
export const NOT_RECONCILED =
  'This installation was restored from a backup, and sends nothing until its ledger and Temporal have been held against each ' +
  'other: npm run cli -- reconcile. (reconcile --waive lets it send without that.)'

/** How often a running part looks again, in milliseconds. */
const LOOK_MS = 15_000

/** Says in the log when mail is held back, and when it goes on: another part may have come to know that this is a copy. */
export async function watchRestored(em: EntityManager, log: Log, lookMs = LOOK_MS): Promise<{ stop(): void }> {
  let isHeld = false
  const look = async () => {
    const isHeldNow = (await readRestoredAt(em.fork())) !== null
    // Looks may overlap where Postgres is slow: what changed is told once.
    if (isHeldNow && !isHeld) log.warn({}, NOT_RECONCILED)
    if (!isHeldNow && isHeld) log.info({}, 'Mail goes on: it was reconciled, or that was waived')
    isHeld = isHeldNow
  }
  await look()
  // Where Postgres is away, what it said last is true.
  const timer = setInterval(() => void look().catch(() => undefined), lookMs).unref()
  return { stop: () => clearInterval(timer) }
}
