import { recordRefusedEntries, type RefusedEntryWrite } from './refused-entry-queries.ts'
import { type EventEffects, effectsOf, type OtherEffects, storedEffects } from './effects.ts'
import { eventDedupKey, type Place } from '../automation-engine/index.ts'
import type { EventSource, Trigger } from './trigger.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'
import { newId, NIL_ID } from '../platform/ids.ts'
import { type Delivery, enqueueForCaller, enqueueForRelay, type NewDelivery, TURN } from '../outbox/index.ts'

/** An event of a contact for which automations may listen. */
export interface TriggerOccurrence {
  /** The ID of the event, so that it is written only once. A new one by default. */
  id?: string
  contactId: string
  type: Exclude<Trigger, 'EVENT'>
  /** The result of `triggerKey` for an automation that listens for it. */
  key: string
}

/** Automations that listen for a type and key. */
type Listeners = (of: Pick<TriggerOccurrence, 'type' | 'key'>) => readonly string[]

/** The active automations of a workspace, which start, and the paused ones, which would start otherwise. */
export interface Listening {
  active: Listeners
  paused: Listeners
}

export const NOBODY_LISTENS: Listening = { active: () => [], paused: () => [] }

/**
 * Reads the automations of a workspace that listen at this moment. The active ones start, no matter how late the delivery arrives.
 */
export async function findListeners(em: EntityManager, workspaceId: string): Promise<Listening> {
  const rows = await sql<{ status: string; trigger: string; trigger_key: string; automation_ids: string[] }>(
    em,
    `select status, trigger, trigger_key, array_agg(id order by id) as automation_ids from automations
     where workspace_id = $1::uuid and status in ('ACTIVE', 'PAUSED') and deleted_at is null
       and trigger in ('SIGNUP', 'LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED') and trigger_key is not null
     group by status, trigger, trigger_key`,
    [workspaceId],
  )
  const byKey = new Map(rows.map((row) => [`${row.status} ${row.trigger} ${row.trigger_key}`, row.automation_ids]))
  const of =
    (status: string): Listeners =>
    ({ type, key }) =>
      byKey.get(`${status} ${type} ${key}`) ?? []
  return { active: of('ACTIVE'), paused: of('PAUSED') }
}

/** The cause of events of contacts. */
export interface CauseOfHappenings {
  workspaceId: string
  requestId: string | null
  /** Whether the relay delivers what they start, in the bulk lane. */
  isBulk: boolean
  /** The number of automations that caused each other and these events; 0 for a request. */
  depth?: number | undefined
}

/**
 * Maximum number of automations that start each other by changing a contact. A longer chain is a loop: its next automation does
 * not start, and the contact's refused entries show it.
 */
export const MAX_CHAIN_LENGTH = 10

/**
 * Writes events of contacts, and enqueues the starts that follow. Events for which no automation listens are not written. For a paused
 * automation, a refused entry is.
 *
 * @returns the deliveries for the caller; none for a bulk operation
 */
export async function recordTriggerOccurrences(
  em: EntityManager,
  { workspaceId, requestId, isBulk, depth = 0 }: CauseOfHappenings,
  happenings: readonly TriggerOccurrence[],
  { active, paused }: Listening,
): Promise<Delivery[]> {
  await recordRefusedEntries(em, workspaceId, 'PAUSED', entriesOf(happenings, paused))
  const events = happenings.flatMap((happening) => {
    const automationIds = active(happening)
    return automationIds.length === 0 ? [] : [{ ...happening, id: happening.id ?? newId(), automationIds }]
  })
  if (events.length === 0) return []
  if (depth > MAX_CHAIN_LENGTH) {
    const refused = events.flatMap(({ contactId, automationIds }) =>
      automationIds.map((automationId) => ({ automationId, contactId, eventId: null })),
    )
    await recordRefusedEntries(em, workspaceId, 'LOOP', refused)
    return []
  }
  const inserted = await sql<{ id: string }>(em, INSERT_MANY, [
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
    depth,
  ])
  const isNew = new Set(inserted.map(({ id }) => id))
  const written = events.filter(({ id }) => isNew.has(id))
  const starts = written.flatMap(({ id: eventId, contactId, automationIds }) =>
    automationIds.map((automationId) => startOf({ workspaceId, contactId, eventId, automationId, concurrencyKey: '' })),
  )
  if (!isBulk) return enqueueForCaller(em, starts)
  await enqueueForRelay(em, starts)
  return []
}

/** Records which automations would have started, if the request that caused these events had not switched that off. */
export async function recordMutedOccurrences(
  em: EntityManager,
  workspaceId: string,
  happenings: readonly TriggerOccurrence[],
): Promise<void> {
  if (happenings.length === 0) return
  const { active } = await findListeners(em, workspaceId)
  await recordRefusedEntries(em, workspaceId, 'TRIGGERS_OFF', entriesOf(happenings, active))
}

const entriesOf = (happenings: readonly TriggerOccurrence[], listeners: Listeners): RefusedEntryWrite[] =>
  happenings.flatMap((happening) =>
    listeners(happening).map((automationId) => ({ automationId, contactId: happening.contactId, eventId: null })),
  )

const INSERT_MANY = `
insert into trigger_events (id, workspace_id, contact_id, type, name, automation_ids, request_id, depth)
select id, $1::uuid, contact_id, type, name, automation_ids, $2::text, $4::integer
from jsonb_to_recordset($3::jsonb) as event(id uuid, contact_id uuid, type text, name text, automation_ids uuid[])
on conflict (id) do nothing returning id`

const startOf = (of: Place & { workspaceId: string; eventId: string }): NewDelivery => ({
  kind: 'START',
  ...of,
  enrollmentId: newId(),
})

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

/** Counts the automations that listen for custom events, by the key of the event. */
export async function countListeningByKey(
  em: EntityManager,
  workspaceId: string,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ trigger_key: string; listening: number }>(
    em,
    `select trigger_key, count(*)::integer as listening from automations
     where workspace_id = $1::uuid and trigger = 'EVENT' and status = 'ACTIVE' and deleted_at is null
       and trigger_key = any($2::text[]) group by trigger_key`,
    [workspaceId, keys],
  )
  return new Map(rows.map(({ trigger_key, listening }) => [trigger_key, listening]))
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

/** A custom event to store. */
export interface NewCustomEvent {
  id: string
  contactId: string
  /** The name in the form for which automations listen: see `triggerKey`. */
  key: string
  name: string
  data: unknown
  source: EventSource
  requestId: string | null
}

/** A stored event, and what it started when it was stored first. */
export interface WrittenEvent {
  id: string
  contactId: string
  createdAt: Date
  effects: EventEffects
  /** False if the event was stored before. */
  isNew: boolean
}

/** A custom event of an existing contact, and who listens for it. */
export interface HeardEvent extends NewCustomEvent {
  /** The automations that it triggers, with their rules for who enters. */
  automations: { id: string; entry: Record<string, unknown> }[]
  /** The paused automations that it would trigger. */
  pausedIds: string[]
  /** Whether an enrollment can wait for it: a step, an exit rule or a goal. */
  isAwaited: boolean
}

/**
 * Locks the contacts of events, so that they are not erased before the events are stored, and finds who listens.
 *
 * Race: an enrollment is recorded, or a step begins to wait, while its event is stored. Guard: both share the lock of the contact,
 * and an event that any enrollment can wait for takes it exclusively. Test: test/steps/events.test.ts.
 *
 * Race: two events start the same automation. Guard: an event that starts one takes the lock exclusively, so that the second
 * event sees the start of the first. Test: test/events/decided-once.test.ts.
 *
 * @param em a transaction
 * @returns the events whose contact exists
 */
export async function lockListening(
  em: EntityManager,
  workspaceId: string,
  events: readonly NewCustomEvent[],
): Promise<HeardEvent[]> {
  const rows = await preparedSql<{
    place: number
    automations: HeardEvent['automations']
    paused_ids: string[]
    is_awaited: boolean
  }>(em, 'listening-automations', LISTENING, [
    events.map(({ contactId }) => contactId),
    workspaceId,
    events.map(({ key }) => key),
  ])
  return rows.map(({ place, automations, paused_ids: pausedIds, is_awaited: isAwaited }) => ({
    ...events[place - 1]!,
    automations,
    pausedIds,
    isAwaited,
  }))
}

const LISTENS = `workspace_id = $2::uuid and trigger = 'EVENT' and md5(trigger_key) = md5(event.key) and trigger_key = event.key
      and deleted_at is null`

/** All contacts of a call are locked in one of two modes, so that calls with several contacts lock them in one order. */
const LISTENING = `
with event as materialized (
  select place, contact_id, key, exists (
    select from automation_versions version
    join automations automation on automation.id = version.automation_id
    where version.event_keys @> array[md5(key)] and automation.workspace_id = $2::uuid and automation.deleted_at is null
  ) as is_awaited, coalesce((
    select jsonb_agg(jsonb_build_object('id', id, 'entry', entry) order by id) from automations
    where ${LISTENS} and status = 'ACTIVE'
  ), '[]') as automations, array(select id from automations where ${LISTENS} and status = 'PAUSED') as paused_ids
  from unnest($1::uuid[], $3::text[]) with ordinality as event (contact_id, key, place)
),
mode as materialized (select bool_or(is_awaited or automations <> '[]') as is_exclusive from event),
exclusive as materialized (
  select id from contacts where (select is_exclusive from mode) and id = any($1::uuid[]) and workspace_id = $2::uuid
  order by id for update
),
shared as materialized (
  select id from contacts where not (select is_exclusive from mode) and id = any($1::uuid[]) and workspace_id = $2::uuid
  order by id for key share
)
select event.place::integer as place, event.is_awaited, event.automations, event.paused_ids
from event
join (select id from exclusive union all select id from shared) locked on locked.id = event.contact_id
order by event.place`

/** An event to store, and what it does in the automations that listen for it. */
export interface PlannedEvent {
  event: NewCustomEvent
  /** The automations that it starts, each with the concurrency key that the event has for it. */
  starts: readonly Omit<Place, 'contactId'>[]
  alreadyEnrolled: OtherEffects['alreadyEnrolled']
  refused: OtherEffects['refused']
}

/**
 * Stores custom events, and enqueues the starts that follow. An event that is stored already stays as it is, without deliveries:
 * those were delivered already, or the relay delivers them.
 *
 * @param em a transaction in which `lockListening` was called
 * @param context.isBulk whether the relay delivers them, in the bulk lane
 * @param events distinct by ID
 * @returns what is stored, in the order of the events, and the deliveries for the caller
 */
export async function insertCustomEvents(
  em: EntityManager,
  { workspaceId, isBulk }: { workspaceId: string; isBulk: boolean },
  events: readonly PlannedEvent[],
): Promise<{ written: WrittenEvent[]; deliveries: Delivery[] }> {
  if (events.length === 0) return { written: [], deliveries: [] }
  const items = events.map(({ event: { id, contactId, key, name, data, source, requestId }, ...plan }, place) => ({
    ...{ place, id, contact_id: contactId, name, name_key: key, data, source, request_id: requestId },
    automation_ids: plan.starts.map(({ automationId }) => automationId),
    concurrency_keys: plan.starts.map(({ concurrencyKey }) => concurrencyKey),
    effects: storedEffects({ alreadyEnrolled: plan.alreadyEnrolled, refused: plan.refused }),
  }))
  const rows = await preparedSql<CustomEventRow>(em, 'insert-custom-events', INSERT, [
    workspaceId,
    JSON.stringify(items),
  ])
  const starts = rows
    .filter(({ is_new }) => is_new)
    .flatMap(({ id: eventId, contact_id: contactId, automation_ids, concurrency_keys }) =>
      automation_ids.map((automationId, n) =>
        startOf({ workspaceId, contactId, eventId, automationId, concurrencyKey: concurrency_keys[n] ?? '' }),
      ),
    )
  const written = new Map(rows.map((row) => [row.id, presentWritten(row)]))
  const deliveries = isBulk ? [] : await enqueueForCaller(em, starts)
  if (isBulk) await enqueueForRelay(em, starts)
  return { written: events.map(({ event }) => written.get(event.id)!), deliveries }
}

interface CustomEventRow {
  id: string
  contact_id: string
  created_at: string
  automation_ids: string[]
  concurrency_keys: string[]
  effects: Partial<OtherEffects>
  is_new: boolean
}

const presentWritten = (row: CustomEventRow): WrittenEvent => ({
  id: row.id,
  contactId: row.contact_id,
  createdAt: toDate(row.created_at),
  effects: effectsOf(row.automation_ids, row.effects),
  isNew: row.is_new,
})

/** Events of one call are a microsecond apart, so that the history keeps their order. */
const INSERT = `
insert into trigger_events as event (id, workspace_id, contact_id, type, name, name_key, data, automation_ids, concurrency_keys, effects,
  source, request_id, created_at)
select id, $1::uuid, contact_id, 'EVENT', name, name_key, data, automation_ids, concurrency_keys, effects, source,
  request_id, now() + place * interval '1 microsecond'
from jsonb_to_recordset($2::jsonb) as item(place integer, id uuid, contact_id uuid, name text, name_key text, data jsonb, source text,
  request_id text, automation_ids uuid[], concurrency_keys text[], effects jsonb)
on conflict (id) do update set request_id = event.request_id
returning id, contact_id, created_at, automation_ids, concurrency_keys, effects, xmax = 0 as is_new`

/**
 * Days for which events are stored. Custom events are stored as long as their workspace keeps its history. An event that is
 * delivered again later starts nothing.
 */
export const TRIGGER_EVENT_DAYS = 30

/**
 * Maximum days for which an event with an unknown outcome is stored: its enrollment has not begun because no worker ran, or never
 * will because an operator ended its workflow. Only Temporal knows which.
 */
const UNDELIVERED_EVENT_DAYS = 365

/**
 * Deletes old events, with the records of who processed them. Keeps events that have a pending delivery or that were delivered
 * without effect so far: no enrollment has started from them or received them, and no running enrollment still could.
 *
 * @returns the number of deleted events, at most `limit`
 */
export async function deleteOldTriggerEvents(em: EntityManager, limit: number): Promise<number> {
  return em.transactional(async (unit) => {
    const old = await sql<{ id: string }>(unit, OLD_EVENTS, [limit, UNDELIVERED_EVENT_DAYS, TRIGGER_EVENT_DAYS])
    const custom = await sql<{ id: string }>(unit, OLD_CUSTOM_EVENTS, [limit - old.length, UNDELIVERED_EVENT_DAYS])
    const ids = [...old, ...custom].map(({ id }) => id)
    if (ids.length > 0) await sql(unit, 'delete from trigger_events where id = any($1::uuid[])', [ids])
    return ids.length
  })
}

/** SQL that follows `select`: the places (`target`) to which an `event` was delivered without effect so far. */
const NOT_ARRIVED = `
from (
  select automation_id, coalesce(concurrency_key, '') as concurrency_key
  from unnest(event.automation_ids, event.concurrency_keys) as listed(automation_id, concurrency_key)
) target
join automations automation on automation.id = target.automation_id
where automation.deleted_at is null
  and not exists (
    select from enrollments where automation_id = automation.id and dedup_key = '${eventDedupKey('')}' || event.id
  )
  and not exists (
    select from processed_events received
    where received.automation_id = automation.id and received.contact_id = event.contact_id and received.event_id = event.id
  )
  and not exists (
    select from enrollments
    where automation_id = automation.id and contact_id = event.contact_id and concurrency_key = target.concurrency_key
      and status = 'ACTIVE'
  )`

/** SQL condition on a row `event`: whether no delivery of it is pending, and it has arrived or is very old. */
const IS_SETTLED = `
not exists (select from outbox where kind = 'START' and event_id = event.id)
and (event.created_at <= now() - make_interval(days => $2) or not exists (select ${NOT_ARRIVED}))`

const OLD_EVENTS = `
select id from trigger_events event
where type <> 'EVENT' and created_at <= now() - make_interval(days => $3) and ${IS_SETTLED}
order by created_at limit $1 for update skip locked`

/** Reads the end of the history of each workspace. */
const OLD_CUSTOM_EVENTS = `
select event.id from workspaces workspace cross join lateral (
  select id from trigger_events event
  where workspace_id = workspace.id and type = 'EVENT'
    and created_at <= now() - make_interval(days => workspace.event_retention_days) and ${IS_SETTLED}
  order by created_at limit $1 for update skip locked
) event
limit $1`

/** An event that was delivered to an automation without any effect. */
export interface LostEvent extends Place {
  workspaceId: string
  eventId: string
  createdAt: Date
}

/**
 * Reads the next events of the last days for which an automation listened, oldest first, and returns those without any effect:
 * they started no enrollment, none received them or could have, and no delivery is pending.
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
    targets: Omit<Place, 'contactId'>[]
  }>(em, LOST, [afterId, limit, atLeastMinutes])
  const lost = rows.flatMap(({ id, workspace_id, created_at, contact_id, targets }) =>
    targets.map((target) => ({
      workspaceId: workspace_id,
      eventId: id,
      ...target,
      contactId: contact_id,
      createdAt: toDate(created_at),
    })),
  )
  return { lost, lastId: rows.length < limit ? null : rows.at(-1)!.id }
}

const LOST = `
select event.id, event.workspace_id, event.created_at, event.contact_id, array(
  select jsonb_build_object('automationId', target.automation_id, 'concurrencyKey', target.concurrency_key) ${NOT_ARRIVED}
    and not exists (
      select from outbox where kind = 'START' and key = event.id || ' ' || automation.id
    )
    and not exists (
      select from enrollments
      where automation_id = automation.id and contact_id = event.contact_id and concurrency_key = target.concurrency_key
        and ended_at >= event.created_at
    )
) as targets
from (
  -- Keyset pagination over all events that were delivered, including those that arrived, so that every page costs the same.
  select * from trigger_events
  where automation_ids <> '{}' and created_at > now() - interval '${TRIGGER_EVENT_DAYS} days'
    and created_at >= coalesce((select created_at from trigger_events where id = $1::uuid), '-infinity')
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
