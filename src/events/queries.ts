import type { Condition } from '../segments/index.ts'
import { type EventEffects, effectsOf, type EventSource, type OtherEffects } from '../triggers/index.ts'
import { microsOf, type Cursor, toItems } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { timestampForPostgres } from '../platform/timestamp.ts'

/** A custom event of the history. */
export interface StoredEvent {
  id: string
  contactId: string
  name: string
  data: Record<string, unknown> | null
  source: EventSource | null
  effects: EventEffects
  createdAt: Date
  place: Cursor
}

type StoredRow = Omit<StoredEvent, 'effects'> & { automationIds: string[]; effects: Partial<OtherEffects> }

export interface HistoryPage {
  contactId?: string | undefined
  /** The name in the form for which automations listen. */
  key?: string | undefined
  after?: string | undefined
  before?: string | undefined
  behind: Cursor | undefined
  limit: number
}

/**
 * Reads a page of the history of a workspace, newest first, and one event more. Each list has its own index: of a contact, of a name,
 * or of the workspace. The statement for a contact fits only its own index, because Postgres might read the whole history instead.
 */
export async function historyPage(
  em: EntityManager,
  workspaceId: string,
  { contactId, key, after, before, behind, limit }: HistoryPage,
): Promise<StoredEvent[]> {
  const parameters: unknown[] = []
  const bind = (value: unknown, type: string) => `$${parameters.push(value)}::${type}`
  const conditions = [`type = 'EVENT'`]
  if (contactId === undefined) conditions.push(`workspace_id = ${bind(workspaceId, 'uuid')}`)
  else conditions.push(`contact_id = ${bind(contactId, 'uuid')}`)
  if (key !== undefined) {
    conditions.push(`name_key = ${bind(key, 'text')}`)
    if (contactId === undefined && isIndexed(key)) conditions.push(IS_INDEXED)
  }
  if (after !== undefined) conditions.push(`created_at > ${bind(timestampForPostgres(after), 'timestamptz')}`)
  if (before !== undefined) conditions.push(`created_at < ${bind(timestampForPostgres(before), 'timestamptz')}`)
  if (behind) {
    const time = `timestamptz 'epoch' + ${bind(behind.micros, 'bigint')} * interval '1 microsecond'`
    conditions.push(`(created_at, id) < (${time}, ${bind(behind.id, 'uuid')})`)
  }
  const rows = await sql(
    em,
    `select id, contact_id, name, data, source, created_at, ${microsOf('created_at')},
       automation_ids, effects
     from trigger_events where ${conditions.join(' and ')}
     order by created_at desc, id desc limit ${bind(limit + 1, 'integer')}`,
    parameters,
  )
  return toItems<StoredRow>(rows, 'createdAt').map(({ automationIds, effects, ...event }) => ({
    ...event,
    effects: effectsOf(automationIds, effects),
  }))
}

/** Reads the names of automations. Deleted ones have none. */
export async function automationNames(em: EntityManager, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; name: string }>(
    em,
    'select id, name from automations where id = any($1::uuid[]) and deleted_at is null',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The condition of the index `trigger_events_by_name`, and whether it is true for a name. */
const IS_INDEXED = `octet_length(name_key) <= 1000`
const isIndexed = (key: string): boolean => Buffer.byteLength(key) <= 1_000

/** Checks that a workspace has a contact. */
export async function hasContact(em: EntityManager, workspaceId: string, contactId: string): Promise<boolean> {
  const rows = await sql(em, 'select from contacts where id = $2::uuid and workspace_id = $1::uuid', [
    workspaceId,
    contactId,
  ])
  return rows.length > 0
}

/** A name of custom events. */
export interface EventName {
  key: string
  name: string
  lastSeenAt: Date
}

/**
 * Reads the names of a workspace's stored custom events, the one seen last first: one index look-up for each name, however many events
 * there are (docs/decisions/0062-event-names.md). Names that are too long for the index are left out.
 *
 * @param limit the number of names that are looked at
 */
export async function eventNames(em: EntityManager, workspaceId: string, limit: number): Promise<EventName[]> {
  const rows = await sql(em, NAMES, [workspaceId, limit])
  return toObjects<EventName>(rows, 'lastSeenAt')
}

const NEXT_NAME = `
select name, name_key, created_at from trigger_events
where workspace_id = $1::uuid and type = 'EVENT' and ${IS_INDEXED}`
const NEWEST_OF_NAME = `order by name_key desc, created_at desc limit 1`

const NAMES = `
with recursive names as (
  (${NEXT_NAME} ${NEWEST_OF_NAME})
  union all
  select next.* from names cross join lateral (${NEXT_NAME} and name_key < names.name_key ${NEWEST_OF_NAME}) next
)
select name_key as key, name, created_at as last_seen_at from (select * from names limit $2) names
order by created_at desc, name_key`

/** The recent use of a name. */
export interface NameUse {
  key: string
  count: number
  /** The top-level keys of recent data, with the types of their JSON values. */
  properties: { name: string; types: string[] }[]
}

/**
 * Counts the recent events of names, and reads the properties of the newest ones.
 *
 * @param days only events of so many days are counted
 * @param most the number at which counting stops
 * @param samples the number of events whose data is read
 */
export async function nameUses(
  em: EntityManager,
  workspaceId: string,
  keys: readonly string[],
  { days, most, samples }: { days: number; most: number; samples: number },
): Promise<Map<string, NameUse>> {
  const rows = await sql<NameUse>(em, USES, [workspaceId, keys, days, most, samples])
  return new Map(rows.map((use) => [use.key, use]))
}

const OF_NAME = `
from trigger_events
where workspace_id = $1::uuid and type = 'EVENT' and ${IS_INDEXED} and name_key = wanted.key`

const USES = `
select wanted.key, counted.count, properties.properties
from unnest($2::text[]) as wanted(key)
cross join lateral (
  select count(*)::integer from (
    select ${OF_NAME} and created_at > now() - make_interval(days => $3) limit $4
  ) recent
) counted
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object('name', property.key, 'types', property.types) order by property.key), '[]')
    as properties
  from (
    select key, array_agg(distinct jsonb_typeof(value)) as types
    from (select data ${OF_NAME} order by created_at desc limit $5) newest
    cross join lateral jsonb_each(data)
    group by key order by key limit 100
  ) property
) properties`

/** An automation that uses custom events. */
export interface Listener {
  id: string
  name: string
  /** The key of the event that triggers it. */
  triggerKey: string | null
  /** Its name, as it was written. */
  triggerName: string | null
  /** The keys of the events for which its steps, exit rules and goal wait: see `eventKeyOf`. */
  eventKeys: string[]
  /** The names of the events for which it waits, and that its conditions mention. */
  mentioned: string[]
}

/** Reads the automations of a workspace that use custom events, including those that are not active. */
export async function automationsWithEvents(em: EntityManager, workspaceId: string): Promise<Listener[]> {
  const rows = await sql(
    em,
    `select * from (
       select automation.id, automation.name, case when automation.trigger = 'EVENT' then automation.trigger_key end as trigger_key,
         case when automation.trigger = 'EVENT' then automation.trigger_config->>'eventName' end as trigger_name,
         current.event_keys,
         jsonb_path_query_array(jsonb_build_array(automation.entry, automation.goal), '$.**.event')
           || jsonb_path_query_array(automation.exit_on, '$[*].condition.**.event')
           || jsonb_path_query_array(automation.exit_on, '$[*].filter.**.event')
           || jsonb_path_query_array(current.steps, '$[*].branches[*].if.**.event')
           || jsonb_path_query_array(current.steps, '$[*].filter.**.event')
           || jsonb_path_query_array(current.steps, '$[*].eventName')
           || jsonb_path_query_array(jsonb_build_array(current.exit_on, current.goal), '$.**.eventName') as mentioned
       from automations automation
       join automation_versions current on current.automation_id = automation.id and current.version = automation.version
       where automation.workspace_id = $1::uuid and automation.deleted_at is null
     ) automation
     where trigger_key is not null or event_keys <> '{}' or mentioned <> '[]' order by name, id`,
    [workspaceId],
  )
  return toObjects<Listener>(rows)
}

/** A segment whose condition mentions custom events. */
export interface SegmentWithEvents {
  id: string
  name: string
  condition: Condition
}

/** Reads the segments of a workspace whose condition mentions custom events. */
export async function segmentsWithEvents(em: EntityManager, workspaceId: string): Promise<SegmentWithEvents[]> {
  return sql(
    em,
    `select id, name, condition from segments
     where workspace_id = $1::uuid and jsonb_path_exists(condition, '$.**.event') order by name, id`,
    [workspaceId],
  )
}
