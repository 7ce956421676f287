import { shortenRequestLeases } from '../http/index.ts'
import { shortenLeases } from '../messages/index.ts'
import { recoverDeliveries } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** Minutes beyond which nothing is ever due or leased: batch jobs come again after ten. */
const MAX_MINUTES = 15

/**
 * Brings back what lies further ahead than anything is ever set. The clock of Postgres was set back, and nobody would do it until the
 * clock came there again.
 */
export async function recoverFromClockChange(em: EntityManager): Promise<void> {
  await recoverDeliveries(em, MAX_MINUTES)
  await shortenLeases(em, MAX_MINUTES)
  await shortenRequestLeases(em, MAX_MINUTES)
}
