import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Lets one transaction at a time try out and create proposals of a workspace. */
export const lockWorkspace = (em: EntityManager, workspaceId: string): Promise<unknown> =>
  sql(em, `select pg_advisory_xact_lock(hashtextextended('proposals ' || $1, 0))`, [workspaceId])

/** Days for which proposals are kept. */
const RETENTION_DAYS = 90

/** Deletes proposals after their retention time. @returns how many */
export async function deleteOldProposals(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from proposals where id in (
       select id from proposals where created_at < now() - make_interval(days => $2::integer)
       limit $1 for update skip locked
     ) returning id`,
    [limit, RETENTION_DAYS],
  )
  return rows.length
}
