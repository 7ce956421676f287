/** The statements of the delivery: leases, outcomes, and the upkeep of the tables. */
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { DisabledReason, LoggedAttempt } from './entities.ts'
import type { StoredEvent } from './event-types.ts'

/** Locks the endpoints of a workspace against concurrent additions, until the transaction ends. @returns their number */
export async function lockWorkspaceEndpoints(em: EntityManager, workspaceId: string): Promise<number> {
  await sql(em, `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1, 0))`, [workspaceId])
  const [row] = await sql<{ count: number }>(
    em,
    'select count(*)::integer as count from webhook_endpoints where workspace_id = $1::uuid',
    [workspaceId],
  )
  return row?.count ?? 0
}

/** Deletes the deliveries and the test events of a deleted endpoint. */
export async function deleteDeliveries(em: EntityManager, endpointId: string): Promise<void> {
  // In the order in which outcomes are recorded.
  await sql(
    em,
    `delete from webhook_deliveries where endpoint_id = $1::uuid and event_position in (
       select event_position from webhook_deliveries where endpoint_id = $1::uuid order by event_position for update
     )`,
    [endpointId],
  )
}

/** Seconds for which a delivery belongs to the worker that took it. If that process dies, it is delivered again after them. */
export const LEASE_SECONDS = 60

/** An endpoint with deliveries that are due. */
export interface DueEndpoint {
  id: string
  url: string
  secret: Buffer
  /** The secret before, while it signs, too. */
  previousSecret: Buffer | null
  isFailing: boolean
  /** Changes with every change of the endpoint. */
  revision: string
}

/**
 * Locks the endpoints that have deliveries that are due until the transaction ends, so that no two workers take deliveries of one
 * endpoint at the same time.
 *
 * @param except endpoints of which this worker has enough deliveries
 */
export async function lockDueEndpoints(em: EntityManager, except: readonly string[]): Promise<DueEndpoint[]> {
  const rows = await preparedSql(em, 'due-webhook-endpoints', DUE_ENDPOINTS, [except])
  return toObjects<DueEndpoint>(rows)
}

const DUE_ENDPOINTS = `
select id, url, secret, case when previous_until > now() then previous_secret end as previous_secret,
  failing_since is not null as is_failing, updated_at::text as revision
from webhook_endpoints endpoint
where status = 'ENABLED' and url is not null and id <> all($1::uuid[]) and exists (
  select from webhook_deliveries
  where endpoint_id = endpoint.id and status = 'PENDING' and due_at <= now()
    and (leased_until is null or leased_until <= now())
)
for no key update skip locked`

/** A delivery that belongs to this worker. */
export interface LeasedDelivery {
  eventPosition: string
  endpointId: string
  /** Number of earlier attempts. */
  attempts: number
  event: StoredEvent
}

/**
 * Takes deliveries that are due, of locked endpoints.
 *
 * The deliveries of a contact to an endpoint are taken one after the other: one waits while an earlier one has not been attempted,
 * or is being delivered. After a failed attempt, the others no longer wait for it.
 *
 * @param wanted the endpoints, and the maximum number of each
 */
export async function leaseDeliveries(
  em: EntityManager,
  wanted: readonly { id: string; max: number }[],
  considered: keyof typeof CONSIDERED = 'few',
): Promise<LeasedDelivery[]> {
  const statement = leaseStatement(CONSIDERED[considered])
  const rows = await preparedSql(em, `lease-webhook-deliveries-${considered}`, statement, [
    wanted.map(({ id }) => id),
    wanted.map(({ max }) => max),
    LEASE_SECONDS,
  ])
  return toObjects<Omit<LeasedDelivery, 'event'> & StoredEvent>(rows, 'createdAt').map(
    ({ eventPosition, endpointId, attempts, ...event }) => ({ eventPosition, endpointId, attempts, event }),
  )
}

/**
 * Deliveries of an endpoint that one statement looks at: a contact can have any number that wait for the first one. If too few were
 * found, the next statement looks at more.
 */
const CONSIDERED = { few: 500, many: 5_000 } as const

const leaseStatement = (considered: number) => `
with taken as (
  update webhook_deliveries delivery set leased_until = now() + make_interval(secs => $3::float8)
  from unnest($1::uuid[], $2::integer[]) wanted(id, max)
  cross join lateral (
    select due.event_position from (
      select event_position from (
        select event_position, lane, due_at from webhook_deliveries
        where endpoint_id = wanted.id and status = 'PENDING' and due_at <= now()
          and (leased_until is null or leased_until <= now())
        order by due_at, event_position limit ${considered}
      ) considered
      where (
          select true from webhook_deliveries earlier
          where earlier.lane = considered.lane and earlier.status = 'PENDING' and earlier.attempts = 0
            and earlier.event_position < considered.event_position limit 1
        ) is null
        and (
          select true from webhook_deliveries earlier
          where earlier.lane = considered.lane and earlier.status = 'PENDING' and earlier.leased_until is not null
            and earlier.leased_until > now() and earlier.event_position < considered.event_position limit 1
        ) is null
      order by due_at, event_position limit wanted.max
    ) chosen
    -- After the limits. Otherwise Postgres may look for earlier deliveries once for each pair of rows.
    join webhook_deliveries due on due.event_position = chosen.event_position and due.endpoint_id = wanted.id
    where due.status = 'PENDING'
    -- A late outcome holds its delivery and then waits for the endpoint.
    for no key update of due skip locked
  ) due
  where delivery.event_position = due.event_position and delivery.endpoint_id = wanted.id
  returning delivery.event_position, delivery.endpoint_id, delivery.attempts
)
select event_position, taken.endpoint_id, attempts, id, type, created_at, data
from taken join webhook_events on position = event_position
order by event_position`

/**
 * Returns which of the deliveries still exist, of endpoints that are enabled and were not changed: an erasure deletes the events of
 * its contact, and a changed endpoint may have another URL or secret.
 */
export async function findRemaining(
  em: EntityManager,
  deliveries: readonly { eventPosition: string; endpointId: string }[],
  revision: string,
): Promise<Set<string>> {
  const rows = await preparedSql<{ event_position: string; endpoint_id: string }>(
    em,
    'remaining-webhook-deliveries',
    `select event_position, endpoint_id from webhook_deliveries
     join unnest($1::bigint[], $2::uuid[]) given(position, id) on event_position = given.position and endpoint_id = given.id
     where exists (
       select from webhook_endpoints where id = endpoint_id and status = 'ENABLED' and updated_at::text = $3::text
     )`,
    [deliveries.map(({ eventPosition }) => eventPosition), deliveries.map(({ endpointId }) => endpointId), revision],
  )
  return new Set(rows.map(({ event_position, endpoint_id }) => `${event_position} ${endpoint_id}`))
}

/** The outcome of an attempt. */
export interface OutcomeRow {
  event_position: string
  endpoint_id: string
  /** Number of earlier attempts. */
  attempts: number
  status: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** Seconds until the next attempt. */
  due_in: number
  entry: LoggedAttempt
}

/** Attempts that are kept in the log of a delivery. */
const MAX_LOGGED = 20

/**
 * Records the outcomes of attempts. One that another worker has attempted in the meantime, because the lease expired, stays
 * unchanged.
 */
export async function writeOutcomes(em: EntityManager, outcomes: readonly OutcomeRow[]): Promise<void> {
  await preparedSql(em, 'record-webhook-outcomes', OUTCOMES, [JSON.stringify(outcomes), MAX_LOGGED])
}

const OUTCOMES = `
with given as materialized (
  select * from jsonb_to_recordset($1::jsonb)
    as given(event_position bigint, endpoint_id uuid, attempts integer, status text, due_in float8, entry jsonb)
),
-- In one order, so that two batches never wait for each other.
locked as materialized (
  select event_position, endpoint_id from webhook_deliveries
  where (event_position, endpoint_id) in (select event_position, endpoint_id from given)
  order by event_position, endpoint_id for no key update
)
update webhook_deliveries delivery set
  status = given.status, attempts = given.attempts + 1, leased_until = null,
  due_at = now() + make_interval(secs => given.due_in),
  finished_at = case when given.status <> 'PENDING' then now() end,
  log = case when jsonb_array_length(log) < $2::integer then log else log - 0 end || given.entry
from given join locked using (event_position, endpoint_id)
where delivery.event_position = given.event_position and delivery.endpoint_id = given.endpoint_id
  and delivery.leased_until is not null and delivery.attempts = given.attempts`

/** Gives deliveries back that were not attempted. @param delaySeconds seconds until they are due; 0 to keep their place */
export async function releaseDeliveries(
  em: EntityManager,
  deliveries: readonly { eventPosition: string; endpointId: string; attempts: number }[],
  delaySeconds: number,
): Promise<void> {
  await sql(
    em,
    `update webhook_deliveries set leased_until = null,
       due_at = greatest(due_at, case when $4::float8 > 0 then now() + make_interval(secs => $4::float8) end)
     from unnest($1::bigint[], $2::uuid[], $3::integer[]) given(position, id, before)
     where event_position = given.position and endpoint_id = given.id and leased_until is not null and attempts = given.before`,
    [
      deliveries.map(({ eventPosition }) => eventPosition),
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ attempts }) => attempts),
      delaySeconds,
    ],
  )
}

/** Days of failures without one success after which an endpoint is disabled. */
const MAX_FAILING_DAYS = 3

/** Records that endpoints answered successfully. */
export async function setHealthy(em: EntityManager, ids: readonly string[]): Promise<void> {
  await preparedSql(
    em,
    'healthy-webhook-endpoints',
    `update webhook_endpoints set failing_since = null, failures = 0 where id in (
       select id from webhook_endpoints where id = any($1::uuid[]) and failing_since is not null order by id for no key update
     )`,
    [ids],
  )
}

/** Failures after which an endpoint can be disabled: one event that is rejected after days is not a reason. */
const MIN_FAILURES = 10

/** An endpoint that failed, at its URL at that time. */
export interface FailedEndpoint {
  id: string
  url: string
  /** Whether it answered that it is gone. */
  isGone: boolean
}

/**
 * Records that endpoints failed. Disables those that are gone, or that have failed for days. An endpoint that has another URL by
 * now stays unchanged.
 *
 * @returns the endpoints that were disabled
 */
export async function setFailing(
  em: EntityManager,
  failed: readonly FailedEndpoint[],
): Promise<{ id: string; workspaceId: string; reason: DisabledReason }[]> {
  const rows = await sql(
    em,
    `update webhook_endpoints endpoint set
       failing_since = coalesce(failing_since, now()), failures = failures + 1,
       status = case when reason is null then endpoint.status else 'DISABLED' end,
       disabled_reason = reason, disabled_at = case when reason is not null then now() end
     from (
       select endpoint.id, case when is_gone then 'GONE'
         when failing_since < now() - make_interval(days => $4::integer) and failures >= $5::integer then 'FAILING' end as reason
       from webhook_endpoints endpoint
       join unnest($1::uuid[], $2::text[], $3::boolean[]) given(id, url, is_gone) on given.id = endpoint.id and given.url = endpoint.url
       where status = 'ENABLED' order by endpoint.id for no key update of endpoint
     ) failed
     where endpoint.id = failed.id
     returning endpoint.id, workspace_id, disabled_reason as reason`,
    [
      failed.map(({ id }) => id),
      failed.map(({ url }) => url),
      failed.map(({ isGone }) => isGone),
      MAX_FAILING_DAYS,
      MIN_FAILURES,
    ],
  )
  return toObjects<{ id: string; workspaceId: string; reason: DisabledReason | null }>(rows).flatMap((row) =>
    row.reason === null ? [] : [{ ...row, reason: row.reason }],
  )
}

/** Days for which events and their deliveries are kept. */
const RETENTION_DAYS = 30

/** Deletes events after their retention time, with their deliveries. @returns how many */
export async function deleteOldWebhookEvents(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from webhook_events where position in (
       select position from (select position, created_at from webhook_events order by position limit $1) oldest
       where created_at < now() - make_interval(days => $2::integer)
     ) returning 1`,
    [limit, RETENTION_DAYS],
  )
  return rows.length
}

/**
 * Prepares events for a restored database, whose transactions have lower numbers than those that recorded the events. Their order
 * stays.
 */
export async function restoreWebhookEvents(em: EntityManager): Promise<void> {
  await sql(em, `update webhook_events set xid = '0' where xid <> '0'`)
}

/** A webhook that Dripline disabled. */
export interface DisabledWebhook {
  url: string
  reason: DisabledReason
  disabledAt: Date
  workspaceId: string
  workspaceName: string
  workspaceMode: WorkspaceMode
}

/** Reads a webhook that Dripline disabled; `undefined` if it is enabled again or deleted. */
export async function findDisabled(em: EntityManager, id: string): Promise<DisabledWebhook | undefined> {
  const rows = await sql(
    em,
    `select url, disabled_reason as reason, disabled_at, workspace_id, name as workspace_name, mode as workspace_mode
     from webhook_endpoints endpoint join workspaces on workspaces.id = workspace_id
     where endpoint.id = $1::uuid and status = 'DISABLED' and disabled_reason is not null and url is not null`,
    [id],
  )
  return toObjects<DisabledWebhook>(rows, 'disabledAt')[0]
}
