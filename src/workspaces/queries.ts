import type { Caller, RateLimit, Scope, WorkspaceMode } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'

export interface Admission {
  /** `wrong-address`: the key exists but may not be used from this address. */
  caller: Caller | 'unknown-key' | 'expired' | 'wrong-address'
  rateLimit: RateLimit
  /** Milliseconds for which a full window certainly stays full; 0 if it is not full. */
  fullForMs: number
}

/** Requests of one client. */
export interface ClientRequests {
  /** `null` if the requests have no well-formed key. */
  keyHash: Buffer | null
  /** An IP address, or `null` if it is unknown. */
  address: string | null
  /** Requests per minute of an address without a valid key. */
  addressLimit: number
  count: number
  /** The time to count at, for tests; defaults to the database's clock. */
  instant?: Date
}

/**
 * Looks a key up and counts requests, in one statement: in the key's window or, without a usable key, in the address's window.
 * Windows are exact across replicas.
 *
 * @returns one admission per request, in order
 */
export async function admitRequests(
  em: EntityManager,
  { keyHash, address, addressLimit, count, instant }: ClientRequests,
): Promise<Admission[]> {
  const parameters = [keyHash, address, addressLimit, instant?.toISOString() ?? null, count]
  const rows = await preparedSql<AdmissionRow>(em, 'admit-requests', ADMIT, parameters)
  return rows.map(toAdmission)
}

function toAdmission(row: AdmissionRow): Admission {
  const rateLimit = {
    allowed: row.allowed,
    limit: row.rate_limit,
    remaining: row.remaining,
    resetAt: toDate(row.reset_at),
    retryAfter: row.retry_after,
  }
  return { caller: callerOf(row, rateLimit), rateLimit, fullForMs: row.full_for_ms }
}

function callerOf(row: AdmissionRow, rateLimit: RateLimit): Admission['caller'] {
  if (row.key_id === null) return 'unknown-key'
  if (!row.is_valid) return 'expired'
  if (!row.in_range) return 'wrong-address'
  const expiresAt = row.expires_at === null ? null : toDate(row.expires_at)
  return {
    by: { kind: 'key', apiKey: { id: row.key_id, name: row.key_name, prefix: row.prefix, expiresAt } },
    scopes: row.scopes,
    workspace: { id: row.workspace_id, name: row.workspace_name, mode: row.mode },
    rateLimit,
  }
}

interface AdmissionRow {
  key_id: string | null
  key_name: string
  prefix: string
  scopes: Scope[]
  in_range: boolean
  is_valid: boolean
  expires_at: string | null
  workspace_id: string
  workspace_name: string
  mode: WorkspaceMode
  rate_limit: number
  allowed: boolean
  remaining: number
  reset_at: string
  retry_after: number
  full_for_ms: number
}

// Only the first 64 bits of an IPv6 address count, because one customer has the whole network (RFC 6177).
const ADMIT = `
with found as (
  select key.id as key_id, key.name as key_name, key.prefix, key.scopes, key.rate_limit, key.expires_at,
    coalesce(key.expires_at > coalesce($4::timestamptz, clock_timestamp()), true) as is_valid,
    workspace.id as workspace_id, workspace.name as workspace_name, workspace.mode,
    key.allowed_ranges = '{}'
      or exists (select from unnest(key.allowed_ranges) range where $2::inet <<= range::inet) as in_range
  from api_keys key join workspaces workspace on workspace.id = key.workspace_id
  where key.hash = $1::bytea
),
subject as (
  select found.*, coalesce(found.in_range and found.is_valid, false) as usable,
    coalesce(host(network(set_masklen($2::inet, case family($2::inet) when 6 then 64 else 32 end))), 'unknown') as address
  from (select) as request left join found on true
)
select subject.*, window_.*, case when usable then subject.rate_limit else $3::integer end as rate_limit
from subject cross join generate_series(1, $5::integer) n cross join lateral take_request(
  case when usable then key_id else md5('address ' || address)::uuid end,
  case when usable then subject.rate_limit else $3::integer end,
  -- Depends on n, so that it is called for each request.
  case when n > 0 then $4::timestamptz end
) window_
order by n`

/**
 * Deletes windows that have not been used for a while. They are empty, and are created again when needed. Copies the last use to
 * the key here, so that requests need not update the key's row.
 */
export async function deleteIdleWindows(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `with forgotten as (
       delete from rate_windows where subject in (
         select subject from rate_windows where last_at < now() - interval '10 minutes' limit $1 for update skip locked
       ) returning subject, last_at
     ),
     used as (
       update api_keys set last_used_at = last_at from forgotten where id = subject
     )
     select subject from forgotten`,
    [limit],
  )
  return rows.length
}

/** Reads the last use of keys by ID, from their windows or their rows. */
export async function lastUses(em: EntityManager): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql<{ id: string; used_at: string }>(
    em,
    `select id, greatest(last_used_at, last_at) as used_at from api_keys left join rate_windows on subject = id
     where greatest(last_used_at, last_at) is not null`,
  )
  return new Map(rows.map(({ id, used_at }) => [id, toDate(used_at)]))
}

/** Blocks other transactions from creating workspaces until the end of the transaction. */
export async function lockWorkspaces(em: EntityManager): Promise<void> {
  await sql(em, 'lock table workspaces in share row exclusive mode')
}

/** Counts the requests of keys in the last 60 seconds, by ID. */
export async function countRecentRequests(
  em: EntityManager,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ subject: string; count: number }>(
    em,
    `select subject, count(*)::integer as count from rate_slots
     where subject = any($1::uuid[]) and at > now() - interval '60 seconds' group by subject`,
    [keyIds],
  )
  return new Map(rows.map(({ subject, count }) => [subject, count]))
}
