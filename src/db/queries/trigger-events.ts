import type { Trigger } from '../../domain/triggers.ts'
import type { EntityManager } from '../orm.ts'
import { sql, toDate } from '../sql.ts'

/** Something that happened to a contact, and the automations that it starts. */
export interface TriggerEvent {
  id: string
  workspaceId: string
  contactId: string
  type: Trigger
  automationIds: string[]
}

/**
 * How long whoever wrote or took a trigger event has to deliver it before another may, in seconds. Its writer
 * delivers at once, so this is how late an event comes whose process died.
 */
export const DELIVERY_LEASE_SECONDS = 5

/**
 * Writes an event with the automations that match it at this moment: what is active now is started, however late
 * the delivery comes. Where nothing matches, there is nothing to deliver.
 *
 * @returns the event, or `undefined` when the workspace has no such contact.
 */
export async function insertTriggerEvent(
  em: EntityManager,
  event: {
    id: string
    workspaceId: string
    contactId: string
    type: Trigger
    key: string
    name: string
    data: unknown
  },
): Promise<(TriggerEvent & { createdAt: Date }) | undefined> {
  const [row] = await sql<{ automation_ids: string[]; created_at: string }>(em, INSERT, [
    event.id,
    event.workspaceId,
    event.contactId,
    event.type,
    event.key,
    event.name,
    event.data === undefined ? null : JSON.stringify(event.data),
    DELIVERY_LEASE_SECONDS,
  ])
  return (
    row && {
      id: event.id,
      workspaceId: event.workspaceId,
      contactId: event.contactId,
      type: event.type,
      automationIds: row.automation_ids,
      createdAt: toDate(row.created_at),
    }
  )
}

const INSERT = `
with listening as (
  select coalesce(array_agg(id), '{}') as automation_ids from automations
  where workspace_id = $2::uuid and trigger = $4 and trigger_key = $5 and status = 'ACTIVE' and deleted_at is null
)
insert into trigger_events
  (id, workspace_id, contact_id, type, name, data, automation_ids, lease_until, delivered_at)
select $1::uuid, contact.workspace_id, contact.id, $4, $6, $7::jsonb, listening.automation_ids,
  now() + make_interval(secs => $8), case when listening.automation_ids = '{}' then now() end
from contacts contact cross join listening
where contact.id = $3::uuid and contact.workspace_id = $2::uuid
returning automation_ids, created_at`

/** Takes undelivered events whose lease has run out. Two that take at once get different ones. */
export async function leaseTriggerEvents(em: EntityManager, limit: number): Promise<TriggerEvent[]> {
  const rows = await sql<{
    id: string
    workspace_id: string
    contact_id: string
    type: Trigger
    automation_ids: string[]
  }>(em, LEASE, [limit, DELIVERY_LEASE_SECONDS * 6])
  return rows.map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    contactId: row.contact_id,
    type: row.type,
    automationIds: row.automation_ids,
  }))
}

const LEASE = `
update trigger_events set lease_until = now() + make_interval(secs => $2)
where id in (
  select id from trigger_events
  where delivered_at is null and lease_until <= now()
  order by lease_until limit $1
  for update skip locked
)
returning id, workspace_id, contact_id, type, automation_ids`

export async function markDelivered(em: EntityManager, ids: readonly string[]): Promise<void> {
  await sql(em, `update trigger_events set delivered_at = now() where id = any($1::uuid[]) and delivered_at is null`, [
    ids,
  ])
}
