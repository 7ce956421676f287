import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql } from '../platform/db/sql.ts'
import type { CounterChanges } from './changes.ts'

/**
 * Writes changes of counters, in the transaction that changes the rows that are counted. A change is a row, so that no transaction
 * waits for another one; `foldCounters` adds them up.
 */
export async function writeCounterChanges(em: EntityManager, changes: CounterChanges): Promise<void> {
  const rows = changes.list()
  if (rows.length === 0) return
  await preparedSql(em, 'write-counter-changes', WRITE, [
    rows.map(({ workspaceId }) => workspaceId),
    rows.map(({ automationId }) => automationId),
    rows.map(({ stepId }) => stepId),
    rows.map(({ at }) => at),
    rows.map(({ counter }) => counter),
    rows.map(({ change }) => change),
  ])
}

const WRITE = `
insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::integer[])`
