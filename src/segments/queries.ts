import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Whether a campaign asks a segment whom it is for, and has not asked it of everybody yet. */
export async function isAskedBy(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from campaigns where status in ('SCHEDULED', 'SENDING', 'PAUSED') and not walked
       and workspace_id = (select workspace_id from segments where id = $1::uuid)
       and (audience -> 'segmentIds' ? $1::text or audience #> '{exclude,segmentIds}' ? $1::text)
     limit 1`,
    [id],
  )
  return rows.length > 0
}
