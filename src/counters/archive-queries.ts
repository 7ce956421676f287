import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { CounterChanges } from './changes.ts'

type ArchivedCounts = ReturnType<CounterChanges['list']>

/**
 * Archives the counts of rows that are deleted because of their age, in the transaction that deletes them. Their counters stay. A
 * recount adds the archived counts.
 */
export async function archiveCounts(em: EntityManager, workspaceId: string, counts: CounterChanges): Promise<void> {
  const list = counts.list()
  if (Object.values(list).every((rows) => rows.length === 0)) return
  await sql(em, 'insert into archived_counts (workspace_id, counts) values ($1::uuid, $2::jsonb)', [
    workspaceId,
    JSON.stringify(list),
  ])
}

/** Adds the archived counts of all workspaces. */
export async function addArchivedCounts(em: EntityManager, changes: CounterChanges): Promise<void> {
  const rows = await sql<{ counts: ArchivedCounts }>(em, 'select counts from archived_counts')
  for (const { counts } of rows) {
    for (const { at, counter, change, ...key } of counts.counters)
      changes.add({ ...key, at: new Date(at) }, counter, change)
    for (const { changes: columns, ...of } of counts.domains) changes.addDomain({ ...of, changes: columns })
    for (const { change, ...of } of counts.links) changes.addToLink(of, change)
  }
}
