import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { Condition } from './condition.ts'
import { conditionSql } from './condition-sql.ts'

/** Returns whether a segment is in the audience of a campaign that has not started, or is still collecting its recipients. */
export async function isSegmentInUse(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from campaigns where status in ('SCHEDULED', 'SENDING', 'PAUSED') and not materialized
       and workspace_id = (select workspace_id from segments where id = $1::uuid)
       and (audience -> 'segmentIds' ? $1::text or audience #> '{exclude,segmentIds}' ? $1::text)
     limit 1`,
    [id],
  )
  return rows.length > 0
}

/** Counts the contacts of a workspace that match a condition now. */
export async function countContacts(em: EntityManager, workspaceId: string, condition: Condition): Promise<number> {
  const parameters: unknown[] = [workspaceId]
  const where = conditionSql(condition, parameters)
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::float8 as count from contacts contact where contact.workspace_id = $1::uuid and ${where}`,
    parameters,
  )
  return row?.count ?? 0
}
