import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { CounterChanges, CounterRow } from './changes.ts'
import { writeDomainsAndLinks } from './queries.ts'

/**
 * Archives the counts of rows that are deleted because of their age, in the transaction that deletes them. Their counters stay. A
 * recount adds the archived counts. Domains and links are subtracted: they may identify a contact who is erased later.
 *
 * @param deleted subtracts the rows
 */
export async function archiveCounts(em: EntityManager, workspaceId: string, deleted: CounterChanges): Promise<void> {
  await writeDomainsAndLinks(em, deleted)
  const counts = deleted.list().counters.map((row) => ({ ...row, change: -row.change }))
  if (counts.length === 0) return
  await sql(em, 'insert into archived_counts (workspace_id, counts) values ($1::uuid, $2::jsonb)', [
    workspaceId,
    JSON.stringify(counts),
  ])
}

/** Adds the archived counts of all workspaces. */
export async function addArchivedCounts(em: EntityManager, changes: CounterChanges): Promise<void> {
  const rows = await sql<{ counts: CounterRow[] }>(em, 'select counts from archived_counts')
  for (const { counts } of rows)
    for (const { at, counter, change, ...key } of counts) changes.add({ ...key, at: new Date(at) }, counter, change)
}
