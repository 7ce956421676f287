import { eventDedupKey } from '../automation-engine/index.ts'
import type { Trigger } from './trigger.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'
import { newId, NIL_ID } from '../platform/ids.ts'
import { type Delivery, enqueueForCaller, enqueueForRelay, type NewDelivery, TURN } from '../outbox/index.ts'

/** An event of a contact for which automations may listen. */
export interface TriggerOccurrence {
  contactId: string
  type: Exclude<Trigger, 'EVENT'>
  /** The result of `triggerKey` for an automation that listens for it. */
  key: string
}

/** Returns the active automations that listen for a type and key. */
export type Listeners = (of: Pick<TriggerOccurrence, 'type' | 'key'>) => readonly string[]

/**
 * Reads the automations of a workspace that listen at this moment. These are the automations that start, no matter how late the
 * delivery arrives.
 */
export async function findListeners(em: EntityManager, workspaceId: string): Promise<Listeners> {
  const rows = await sql<{ trigger: string; trigger_key: string; automation_ids: string[] }>(
    em,
    `select trigger, trigger_key, array_agg(id order by id) as automation_ids from automations
     where workspace_id = $1::uuid and status = 'ACTIVE' and deleted_at is null
       and trigger in ('SIGNUP', 'LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED') and trigger_key is not null
     group by trigger, trigger_key`,
    [workspaceId],
  )
  const byKey = new Map(rows.map((row) => [`${row.trigger} ${row.trigger_key}`, row.automation_ids]))
  return ({ type, key }) => byKey.get(`${type} ${key}`) ?? []
}

/**
 * Writes events of contacts, and enqueues the starts that follow. Events for which no automation listens are not written.
 *
 * @param isBulk whether the relay delivers them, in the bulk lane
 * @returns the deliveries for the caller; none for a bulk operation
 */
export async function recordTriggerOccurrences(
  em: EntityManager,
  { workspaceId, requestId, isBulk }: { workspaceId: string; requestId: string | null; isBulk: boolean },
  happenings: readonly TriggerOccurrence[],
  listeners: Listeners,
): Promise<Delivery[]> {
  const events = happenings.flatMap((happening) => {
    const automationIds = listeners(happening)
    return automationIds.length === 0 ? [] : [{ ...happening, id: newId(), automationIds }]
  })
  if (events.length === 0) return []
  await sql(em, INSERT_MANY, [
    workspaceId,
    requestId,
    JSON.stringify(
      events.map(({ id, contactId, type, key, automationIds }) => ({
        id,
        contact_id: contactId,
        type,
        name: key,
        automation_ids: automationIds,
      })),
    ),
  ])
  const starts = events.flatMap(({ id: eventId, contactId, automationIds }) =>
    automationIds.map((automationId) => startOf({ workspaceId, contactId, eventId, automationId })),
  )
  if (!isBulk) return enqueueForCaller(em, starts)
  await enqueueForRelay(em, starts)
  return []
}

const INSERT_MANY = `
insert into trigger_events (id, workspace_id, contact_id, type, name, automation_ids, request_id)
select id, $1::uuid, contact_id, type, name, automation_ids, $2::text
from jsonb_to_recordset($3::jsonb) as event(id uuid, contact_id uuid, type text, name text, automation_ids uuid[])`

const startOf = (of: {
  workspaceId: string
  contactId: string
  eventId: string
  automationId: string
}): NewDelivery => ({ kind: 'START', ...of, enrollmentId: newId() })

/** Events of contacts in bulk. The keys of lists and tags are in the form for which automations listen. */
export interface BulkOccurrences {
  signUp: boolean
  lists: readonly string[]
  tags: readonly string[]
}

/** Counts the automations that listen for events of contacts in bulk. */
export async function countListening(
  em: EntityManager,
  workspaceId: string,
  { signUp, lists, tags }: BulkOccurrences,
): Promise<number> {
  const [row] = await sql<{ listening: number }>(
    em,
    `select count(*)::integer as listening from automations
     where workspace_id = $1::uuid and status = 'ACTIVE' and deleted_at is null
       and ((trigger = 'SIGNUP' and $4::boolean) or (trigger in ('LIST_ADDED', 'LIST_REQUESTED') and trigger_key = any($2::text[]))
         or (trigger = 'TAG_ADDED' and trigger_key = any($3::text[])))`,
    [workspaceId, lists, tags, signUp],
  )
  return row?.listening ?? 0
}

/** Counts a workspace's pending deliveries to Temporal, up to a limit and without batch jobs. */
export async function countWaiting(em: EntityManager, workspaceId: string, limit: number): Promise<number> {
  const [row] = await sql<{ waiting: number }>(
    em,
    `select count(*)::integer as waiting from (
       select from outbox where lane in ('interactive', 'bulk') and ${TURN} = $1::uuid limit $2
     ) waiting`,
    [workspaceId, limit],
  )
  return row?.waiting ?? 0
}

/** A fired event: its deliveries, and how many automations matched when it was first fired. */
export interface WrittenEvent {
  createdAt: Date
  matching: number
  deliveries: Delivery[]
}

/**
 * Writes a custom event with the automations that match it at this moment, and enqueues the starts that follow. A repeated call
 * with the same ID returns the event that was written first, without deliveries: they were already delivered, or the relay
 * delivers them.
 *
 * @param em a transaction
 * @returns the event, or `undefined` if the workspace has no such contact
 */
export async function insertCustomEvent(
  em: EntityManager,
  event: {
    id: string
    workspaceId: string
    contactId: string
    /** The name in the form for which automations listen: see `triggerKey`. */
    key: string
    name: string
    data: unknown
    requestId: string | null
  },
): Promise<WrittenEvent | undefined> {
  const [listening] = await preparedSql<{ automation_ids: string[] }>(em, 'listening-automations', LISTENING, [
    event.contactId,
    event.workspaceId,
    event.key,
  ])
  if (!listening) return undefined
  const [row] = await preparedSql<{ created_at: string; automation_ids: string[]; is_new: boolean }>(
    em,
    'insert-custom-event',
    INSERT,
    [
      event.id,
      event.workspaceId,
      event.contactId,
      event.key,
      event.name,
      event.data === undefined ? null : JSON.stringify(event.data),
      event.requestId,
      listening.automation_ids,
    ],
  )
  if (!row) return undefined
  const { workspaceId, contactId, id: eventId } = event
  const starts = row.automation_ids.map((automationId) => startOf({ workspaceId, contactId, eventId, automationId }))
  const deliveries = row.is_new ? await enqueueForCaller(em, starts) : []
  return { createdAt: toDate(row.created_at), matching: starts.length, deliveries }
}

/**
 * Selects the automations that listen for an event; no row if the contact does not exist. Locks the contact, so that it is not
 * erased before the insert.
 */
const LISTENING = `
select array(
  select id from automations
  where workspace_id = $2::uuid and trigger = 'EVENT' and md5(trigger_key) = md5($3) and trigger_key = $3
    and status = 'ACTIVE' and deleted_at is null
  order by id
) as automation_ids
from contacts where id = $1::uuid and workspace_id = $2::uuid for key share`

const INSERT = `
insert into trigger_events as event (id, workspace_id, contact_id, type, name, name_key, data, automation_ids, request_id)
values ($1::uuid, $2::uuid, $3::uuid, 'EVENT', $5, $4, $6::jsonb, $8::uuid[], $7::text)
on conflict (id) do update set request_id = event.request_id
returning created_at, automation_ids, xmax = 0 as is_new`

/** Days for which events are stored. An event that is delivered again later starts nothing. */
export const TRIGGER_EVENT_DAYS = 30

/**
 * Maximum days for which an event with an unknown outcome is stored: its enrollment has not begun because no worker ran, or never
 * will because an operator ended its workflow. Only Temporal knows which.
 */
export const UNDELIVERED_EVENT_DAYS = 365

/**
 * Deletes old events, with the records of who processed them. Keeps events that have a pending delivery or that were delivered
 * without effect so far: no enrollment has started from them or received them, and no running enrollment still could.
 */
export async function deleteOldTriggerEvents(em: EntityManager, limit: number): Promise<number> {
  return em.transactional(async (unit) => {
    const events = await sql<{ id: string }>(
      unit,
      `select id from trigger_events event
       where created_at <= now() - make_interval(days => $2)
         and not exists (select from outbox where kind = 'START' and event_id = event.id)
         and (created_at <= now() - make_interval(days => $3) or not exists (select ${NOT_ARRIVED}))
       order by created_at limit $1 for update skip locked`,
      [limit, TRIGGER_EVENT_DAYS, UNDELIVERED_EVENT_DAYS],
    )
    await sql(unit, 'delete from trigger_events where id = any($1::uuid[])', [events.map(({ id }) => id)])
    return events.length
  })
}

/** SQL that follows `select`: the automations to which an `event` was delivered without effect so far. */
const NOT_ARRIVED = `
from automations automation
where automation.id = any(event.automation_ids) and automation.deleted_at is null
  and not exists (
    select from enrollments where automation_id = automation.id and dedup_key = '${eventDedupKey('')}' || event.id
  )
  and not exists (
    select from processed_events received
    where received.automation_id = automation.id and received.contact_id = event.contact_id and received.event_id = event.id
  )
  and not exists (
    select from enrollments
    where automation_id = automation.id and contact_id = event.contact_id and status = 'ACTIVE'
  )`

/** An event that was delivered to an automation without any effect. */
export interface LostEvent {
  workspaceId: string
  eventId: string
  automationId: string
  contactId: string
  createdAt: Date
}

/**
 * Reads the next events, oldest first, and returns those without any effect: they started no enrollment, none received them or
 * could have, and no delivery is pending.
 *
 * @param page.atLeastMinutes the minimum age of the events
 * @returns the lost events, and the last event that was checked; `null` if there are no further ones
 */
export async function lostEvents(
  em: EntityManager,
  { afterId, limit, atLeastMinutes }: { afterId: string | null; limit: number; atLeastMinutes: number },
): Promise<{ lost: LostEvent[]; lastId: string | null }> {
  const rows = await sql<{
    id: string
    workspace_id: string
    created_at: string
    contact_id: string
    automation_ids: string[]
  }>(em, LOST, [afterId, limit, atLeastMinutes])
  const lost = rows.flatMap(({ id, workspace_id, created_at, contact_id, automation_ids }) =>
    automation_ids.map((automationId) => ({
      workspaceId: workspace_id,
      eventId: id,
      automationId,
      contactId: contact_id,
      createdAt: toDate(created_at),
    })),
  )
  return { lost, lastId: rows.length < limit ? null : rows.at(-1)!.id }
}

const LOST = `
select event.id, event.workspace_id, event.created_at, event.contact_id, array(
  select automation.id ${NOT_ARRIVED}
    and not exists (
      select from outbox where kind = 'START' and key = event.id || ' ' || automation.id
    )
    and not exists (
      select from enrollments
      where automation_id = automation.id and contact_id = event.contact_id and ended_at >= event.created_at
    )
) as automation_ids
from (
  -- Keyset pagination over all events, including those for which nothing listened, so that every page costs the same.
  select * from trigger_events
  where created_at >= coalesce((select created_at from trigger_events where id = $1::uuid), '-infinity')
    and (created_at, id) >
      (coalesce((select created_at from trigger_events where id = $1::uuid), '-infinity'), coalesce($1::uuid, '${NIL_ID}'))
    and created_at < now() - make_interval(mins => $3::integer)
  order by created_at, id limit $2
) event
order by event.created_at, event.id`

/**
 * SQL: the list by which the row `enrollment` was started, given the row `automation`; `null` if it was started by something
 * else. The automation may have another trigger by now.
 *
 * @param trigger whether the contact joined the list or only requested to
 */
export const listIdOfTrigger = (trigger: Extract<Trigger, 'LIST_ADDED' | 'LIST_REQUESTED'>): string => `(
    case coalesce(enrollment.trigger, automation.trigger) when '${trigger}'
      then case when enrollment.trigger is null then automation.trigger_key else enrollment.trigger_key end
    end
  )`
