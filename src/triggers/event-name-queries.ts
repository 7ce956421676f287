import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/**
 * Deletes the custom events of a name. Those that are still to start an enrollment stay.
 *
 * @param nameKey the name in the form for which automations listen
 * @param most the number of events at which it deletes none
 * @returns how many were deleted; `undefined` if there are too many
 */
export async function deleteEventsOfName(
  em: EntityManager,
  workspaceId: string,
  nameKey: string,
  most: number,
): Promise<number | undefined> {
  const found = await sql<{ id: string }>(
    em,
    `select id from trigger_events event
     where workspace_id = $1::uuid and type = 'EVENT' and name_key = $2 and octet_length(name_key) <= 1000
       and not exists (select from outbox where kind = 'START' and event_id = event.id)
     limit $3`,
    [workspaceId, nameKey, most],
  )
  if (found.length === most) return undefined
  await sql(em, 'delete from trigger_events where id = any($1::uuid[])', [found.map(({ id }) => id)])
  return found.length
}
