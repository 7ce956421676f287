import { shortenRequestLeases } from '../http/index.ts'
import { shortenLeases } from '../messages/index.ts'
import { recoverDeliveries } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** Minutes beyond which nothing is ever due or leased. Batch jobs repeat after ten minutes. */
const MAX_MINUTES = 15

/**
 * Resets due times and leases that are implausibly far in the future, because Postgres's clock was set back. Otherwise they would
 * wait until the clock reaches them.
 */
export async function recoverFromClockChange(em: EntityManager): Promise<void> {
  await recoverDeliveries(em, MAX_MINUTES)
  await shortenLeases(em, MAX_MINUTES)
  await shortenRequestLeases(em, MAX_MINUTES)
}
