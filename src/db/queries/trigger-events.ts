import type { Trigger } from '../../domain/triggers.ts'
import type { EntityManager } from '../orm.ts'
import { preparedSql, sql, toDate } from '../sql.ts'

/** Something that happened to a contact, and the automations that it starts. */
export interface TriggerEvent {
  id: string
  workspaceId: string
  contactId: string
  type: Trigger
  automationIds: string[]
  /** The request that made it happen. */
  requestId: string | null
}

/**
 * How long whoever wrote or took a trigger event has to deliver it before another may, in seconds. Its writer
 * delivers at once, so this is how late an event comes whose process died.
 */
export const DELIVERY_LEASE_SECONDS = 5

/** A trigger event as statements of ours return it: see {@link writeTriggerEvents} and {@link toTriggerEvent}. */
export interface TriggerEventRow {
  id: string
  workspace_id: string
  contact_id: string
  type: Trigger
  automation_ids: string[]
  request_id: string | null
}

export const toTriggerEvent = (row: TriggerEventRow): TriggerEvent => ({
  id: row.id,
  workspaceId: row.workspace_id,
  contactId: row.contact_id,
  type: row.type,
  automationIds: row.automation_ids,
  requestId: row.request_id,
})

/**
 * The part of a statement that writes what happened, with the automations that listen for it at this moment: what is
 * active now is started, however late the delivery comes. What nothing listens for is not written.
 *
 * It follows a query `happened (contact_id, type, key)` in the same `with`, and is called `written_events`.
 *
 * @param parameters which parameters hold the workspace's id, the request's id, and for how many seconds the writer
 *   keeps the events for itself to deliver (0 leaves them to the relay).
 */
export const writeTriggerEvents = (parameters: { workspace: string; request: string; lease: string }): string => `
listening as (
  select trigger, trigger_key, array_agg(id) as automation_ids from automations
  where workspace_id = ${parameters.workspace}::uuid and status = 'ACTIVE' and deleted_at is null
    and trigger in ('SIGNUP', 'LIST_ADDED', 'TAG_ADDED')
  group by trigger, trigger_key
),
written_events as (
  insert into trigger_events (id, workspace_id, contact_id, type, name, automation_ids, request_id, lease_until)
  select gen_random_uuid(), ${parameters.workspace}::uuid, happened.contact_id, happened.type, '', listening.automation_ids,
    ${parameters.request}::text, now() + make_interval(secs => ${parameters.lease}::float8)
  from happened join listening on listening.trigger = happened.type and listening.trigger_key = happened.key
  returning id, workspace_id, contact_id, type, automation_ids, request_id
)`

/**
 * Writes a custom event with the automations that match it at this moment. Where nothing matches, there is nothing to
 * deliver. Called again with the same id, it returns what was written first.
 *
 * @returns the event, or `undefined` when the workspace has no such contact.
 */
export async function insertCustomEvent(
  em: EntityManager,
  event: {
    id: string
    workspaceId: string
    contactId: string
    /** The name as automations listen for it: see `triggerKey`. */
    key: string
    name: string
    data: unknown
    requestId: string | null
  },
): Promise<(TriggerEvent & { createdAt: Date }) | undefined> {
  const [row] = await preparedSql<TriggerEventRow & { created_at: string }>(em, 'insert-custom-event', INSERT, [
    event.id,
    event.workspaceId,
    event.contactId,
    event.key,
    event.name,
    event.data === undefined ? null : JSON.stringify(event.data),
    DELIVERY_LEASE_SECONDS,
    event.requestId,
  ])
  return row && { ...toTriggerEvent(row), createdAt: toDate(row.created_at) }
}

const INSERT = `
with listening as (
  select coalesce(array_agg(id), '{}') as automation_ids from automations
  where workspace_id = $2::uuid and trigger = 'EVENT' and trigger_key = $4 and status = 'ACTIVE' and deleted_at is null
)
insert into trigger_events as event
  (id, workspace_id, contact_id, type, name, data, automation_ids, request_id, lease_until, delivered_at)
select $1::uuid, contact.workspace_id, contact.id, 'EVENT', $5, $6::jsonb, listening.automation_ids, $8::text,
  now() + make_interval(secs => $7), case when listening.automation_ids = '{}' then now() end
from contacts contact cross join listening
where contact.id = $3::uuid and contact.workspace_id = $2::uuid
on conflict (id) do update set request_id = event.request_id
returning id, workspace_id, contact_id, type, automation_ids, request_id, created_at`

/** Takes undelivered events whose lease has run out. Two that take at once get different ones. */
export async function leaseTriggerEvents(em: EntityManager, limit: number): Promise<TriggerEvent[]> {
  const rows = await sql<TriggerEventRow>(em, LEASE, [limit, DELIVERY_LEASE_SECONDS * 6])
  return rows.map(toTriggerEvent)
}

const LEASE = `
update trigger_events set lease_until = now() + make_interval(secs => $2)
where id in (
  select id from trigger_events
  where delivered_at is null and lease_until <= now()
  order by lease_until limit $1
  for update skip locked
)
returning id, workspace_id, contact_id, type, automation_ids, request_id`

export async function markDelivered(em: EntityManager, ids: readonly string[]): Promise<void> {
  await preparedSql(em, 'mark-delivered', MARK_DELIVERED, [ids])
}

const MARK_DELIVERED = `
update trigger_events set delivered_at = now() where id = any($1::uuid[]) and delivered_at is null`
