import { MESSAGE_STATUSES } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** How much is stored, and how fast it grows. Bytes are estimated from the average size on disk of a message, with its visits and bounces. */
export interface Growth {
  /** Size of the whole database. */
  databaseBytes: number
  messages: number
  bytes: number
  /** Messages of the last 30 days. */
  recentMessages: number
  recentBytes: number
}

/** Tables whose rows belong to messages. */
const TABLES = ['messages', 'message_visits', 'bounces', 'emails']

/** Reads how much a workspace stores. @param workspaceId `null` for all */
export async function readGrowth(em: EntityManager, workspaceId: string | null): Promise<Growth> {
  const [row] = await sql<{ database: number; size: number; all: number; own: number; recent: number }>(em, GROWTH, [
    TABLES,
    workspaceId,
    MESSAGE_STATUSES,
  ])
  const { database, size, all, own, recent } = row!
  const perMessage = all === 0 ? 0 : size / all
  return {
    databaseBytes: database,
    messages: own,
    bytes: Math.round(own * perMessage),
    recentMessages: recent,
    recentBytes: Math.round(recent * perMessage),
  }
}

const GROWTH = `
with counted as (
  select subject, at, count from flow_counters where counter = any($3::text[]) and subject in (select id from workspaces)
  union all
  select workspace_id, at, change from counter_changes
  where counter = any($3::text[]) and workspace_id in (select id from workspaces)
),
archived as (
  select workspace_id, sum((change ->> 'change')::bigint) as count
  from archived_counts cross join jsonb_array_elements(counts) change
  where change ->> 'counter' = any($3::text[]) and workspace_id in (select id from workspaces) group by 1
)
select pg_database_size(current_database())::float8 as database,
  (select sum(pg_total_relation_size(name::regclass)) from unnest($1::text[]) name)::float8 as size,
  ((select coalesce(sum(count), 0) from counted) - (select coalesce(sum(count), 0) from archived))::float8 as all,
  ((select coalesce(sum(count), 0) from counted where $2::uuid is null or subject = $2::uuid)
    - (select coalesce(sum(count), 0) from archived where $2::uuid is null or workspace_id = $2::uuid))::float8 as own,
  (select coalesce(sum(count), 0) from counted
   where at > now() - interval '30 days' and ($2::uuid is null or subject = $2::uuid))::float8 as recent`
