import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from './eventually.ts'

/** Waits until this many sessions of the database wait for a lock. @param statement a pattern of their statements */
export const lockWaits = (em: EntityManager, count = 1, statement = '%') =>
  eventually(`${count} sessions wait for a lock`, async () => {
    const waiting = `select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database() and query like $1`
    return (await sql(em.fork(), waiting, [statement])).length >= count || undefined
  })

/** Takes the locks of a statement in a transaction. @returns a function that commits the transaction */
export async function lockWith(
  em: EntityManager,
  statement: string,
  parameters: unknown[],
): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = em.fork().transactional(async (unit) => {
    await sql(unit, statement, parameters)
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, holding])
  return async () => {
    released.resolve()
    await holding
  }
}
