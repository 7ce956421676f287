import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql } from '../platform/db/sql.ts'
import type { AutomationStatus } from '../automation-engine/index.ts'

/**
 * Locks automations against changes until the transaction ends, in the order of their IDs. Shared with other readers.
 * @returns the status of each that is not deleted
 */
export async function lockAutomationsShared(
  em: EntityManager,
  ids: readonly string[],
): Promise<Map<string, AutomationStatus>> {
  const rows = await preparedSql<{ id: string; status: AutomationStatus }>(
    em,
    'share-automations',
    'select id, status from automations where id = any($1::uuid[]) and deleted_at is null order by id for share',
    [ids],
  )
  return new Map(rows.map(({ id, status }) => [id, status]))
}
