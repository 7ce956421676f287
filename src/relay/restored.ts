import { sayRestored } from '../installation/index.ts'
import { giveUpAttempts, MAY_HAVE_BEEN_SENT } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/**
 * Says that the database was restored: nothing is sent until it is reconciled, and what was being sent, or was to be tried
 * again, is left to people, because it may have been.
 */
export const markRestored = (em: EntityManager): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await sayRestored(unit)
    await giveUpAttempts(unit, MAY_HAVE_BEEN_SENT)
  })
