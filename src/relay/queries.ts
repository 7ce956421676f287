import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'

/**
 * Facts about an enrollment that is not recorded: whether its automation belongs or belonged to this instance, whether the
 * automation and the contact exist, and whether the event that started it exists.
 */
export async function loadKnownEnrollments(
  em: EntityManager,
  ids: { automationId: string; contactId: string; triggerEventId: string | null },
): Promise<{ isOurs: boolean; isPossible: boolean; knowsEvent: boolean }> {
  const [row] = await sql<{ isOurs: boolean; isPossible: boolean; knowsEvent: boolean }>(
    em,
    `select exists (select from automations where id = $1::uuid) as "isOurs",
     exists (
       select from automations automation join contacts contact using (workspace_id)
       where automation.id = $1::uuid and automation.deleted_at is null and contact.id = $2::uuid
     ) as "isPossible",
     exists (select from trigger_events where id = $3::uuid) as "knowsEvent"`,
    [ids.automationId, ids.contactId, ids.triggerEventId],
  )
  return row ?? { isOurs: false, isPossible: false, knowsEvent: false }
}

/** Returns when something last happened according to the database: approximately the newest event, claim or enrollment. */
export async function newestActivity(em: EntityManager): Promise<Date | null> {
  const [row] = await sql<{ newest: string | null }>(
    em,
    `select greatest(
       (select max(created_at) from trigger_events where type <> 'EVENT'),
       (select max(newest.created_at) from workspaces cross join lateral (
          select created_at from trigger_events where workspace_id = workspaces.id and type = 'EVENT'
          order by created_at desc limit 1
        ) newest),
       (select claimed_at from messages order by id desc limit 1),
       (select enrolled_at from enrollments order by id desc limit 1)
     ) as newest`,
  )
  return row?.newest == null ? null : toDate(row.newest)
}
