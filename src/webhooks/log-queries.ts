/** The statements that read and repeat deliveries for the API, and that read events in the order of a cursor. */
import { pageSizes } from '../platform/page-sizes.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Cursor } from '../platform/db/newest-page.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { timestampForPostgres } from '../platform/timestamp.ts'
import type { DeliveryStatus, LoggedAttempt } from './entities.ts'
import { type EventType, type StoredEvent, TEST_EVENT_TYPE } from './event-types.ts'

/** Maximum count: an endpoint that is down can have millions. */
export const MAX_COUNTED = 10_000

/** Counts the pending and the failed deliveries of endpoints, up to `MAX_COUNTED`. */
export async function countDeliveries(
  em: EntityManager,
  endpointIds: readonly string[],
): Promise<Map<string, { pending: number; failed: number }>> {
  const rows = await sql<{ id: string; pending: number; failed: number }>(
    em,
    `select id,
       (select count(*)::integer from (
         select from webhook_deliveries where endpoint_id = id and status = 'PENDING' limit $2::integer) those) as pending,
       (select count(*)::integer from (
         select from webhook_deliveries where endpoint_id = id and status = 'FAILED' limit $2::integer) those) as failed
     from unnest($1::uuid[]) id`,
    [endpointIds, MAX_COUNTED],
  )
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** A delivery, identified by its event. */
export interface ListedDelivery {
  /** The ID of the event. */
  id: string
  type: EventType
  status: DeliveryStatus
  attempts: number
  createdAt: Date
  dueAt: Date
  finishedAt: Date | null
  last: LoggedAttempt | null
  place: Cursor
}

/** Columns of a `ListedDelivery`. The cursor has the event's position in place of a time. */
const COLUMNS = `event.id, event.type, delivery.status, delivery.attempts, event.created_at, delivery.due_at,
  delivery.finished_at, delivery.log -> -1 as last, event.position::text as micros`

const toListed = (rows: readonly unknown[]): ListedDelivery[] =>
  toObjects<ListedDelivery & { micros: string }>(rows, 'createdAt', 'dueAt', 'finishedAt').map(
    ({ micros, ...delivery }) => ({ ...delivery, place: { micros, id: delivery.id } }),
  )

/** Reads a page of an endpoint's deliveries, newest first. */
export async function deliveryPage(
  em: EntityManager,
  endpointId: string,
  { status, behind, limit }: { status?: DeliveryStatus | undefined; behind?: Cursor | undefined; limit: number },
): Promise<ListedDelivery[]> {
  // A condition per status, so that the planner can use the index of the status.
  const ofStatus = status === undefined ? '' : `and delivery.status = '${status}'`
  const rows = await sql(
    em,
    `select ${COLUMNS} from webhook_deliveries delivery join webhook_events event on event.position = delivery.event_position
     where delivery.endpoint_id = $1::uuid ${ofStatus} and ($2::bigint is null or delivery.event_position < $2::bigint)
     order by delivery.event_position desc limit $3`,
    [endpointId, behind?.micros ?? null, limit],
  )
  return toListed(rows)
}

export interface FullDelivery extends ListedDelivery {
  data: Record<string, unknown>
  log: LoggedAttempt[]
}

/** Reads a delivery with its event and its attempts. @param id the ID of the event */
export async function findDelivery(
  em: EntityManager,
  endpointId: string,
  id: string,
): Promise<FullDelivery | undefined> {
  const rows = await sql(
    em,
    `select ${COLUMNS}, event.data, delivery.log
     from webhook_events event join webhook_deliveries delivery on delivery.event_position = event.position
     where event.id = $2::uuid and delivery.endpoint_id = $1::uuid`,
    [endpointId, id],
  )
  return toListed(rows)[0] as FullDelivery | undefined
}

/** The columns of a delivery that starts over. Attempts of before stay in its log. */
const START_OVER = `status = 'PENDING', attempts = 0, due_at = now(), leased_until = null, finished_at = null`

/** Makes a delivery due again. @returns whether there is one */
export async function replayDelivery(em: EntityManager, endpointId: string, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update webhook_deliveries set ${START_OVER}
     where endpoint_id = $1::uuid and event_position = (select position from webhook_events where id = $2::uuid)
     returning 1`,
    [endpointId, id],
  )
  return rows.length > 0
}

/** A range of events to replay. */
export interface ReplayRange {
  /** Timestamps, see `isTimestamp`. */
  since: string
  until?: string | undefined
  /** Only deliveries with this status; `undefined`: all events of the endpoint's types. */
  status?: 'DELIVERED' | 'FAILED' | undefined
}

/** The deliveries that one statement replayed, and its last event; `null` if there was none. */
interface ReplayedPage {
  count: number
  last: string | null
}

/** Makes the deliveries of a range due again, except for those that are pending. @returns the number */
export async function replayDeliveries(
  em: EntityManager,
  { id, workspaceId, events }: { id: string; workspaceId: string; events: readonly string[] },
  { since, until, status }: ReplayRange,
): Promise<number> {
  const range = [timestampForPostgres(since), until === undefined ? null : timestampForPostgres(until)]
  const page = (after: string) =>
    status === undefined
      ? sql<ReplayedPage>(em, REPLAY, [id, ...range, after, workspaceId, events, pageSizes.replayed])
      : sql<ReplayedPage>(em, REPLAY_STATUS, [id, ...range, after, status, pageSizes.replayed])
  let replayed = 0
  for (let after: string | null = '0'; after !== null;) {
    const [row]: ReplayedPage[] = await page(after)
    replayed += row?.count ?? 0
    after = row?.last ?? null
  }
  return replayed
}

const IN_RANGE = 'created_at >= $2::timestamptz and ($3::timestamptz is null or created_at < $3::timestamptz)'
const COUNTED =
  'select (select count(*)::integer from replayed) as count, (select max(position)::text from page) as last'

const REPLAY = `
with page as materialized (
  select position, contact_id from webhook_events
  where position > $4::bigint and workspace_id = $5::uuid and ${IN_RANGE} and endpoint_id is null
    and (type = any($6::text[]) or '*' = any($6::text[]))
  order by position limit $7::integer
), replayed as (
  insert into webhook_deliveries as delivery (event_position, endpoint_id, lane)
  select position, $1::uuid, webhook_lane($1::uuid, contact_id) from page order by position
  on conflict (event_position, endpoint_id) do update set ${START_OVER} where delivery.status <> 'PENDING'
  returning 1
) ${COUNTED}`

const REPLAY_STATUS = `
with page as materialized (
  select position from webhook_deliveries delivery join webhook_events on position = delivery.event_position
  where delivery.endpoint_id = $1::uuid and delivery.status = $5 and event_position > $4::bigint and ${IN_RANGE}
  order by event_position limit $6::integer
), replayed as (
  update webhook_deliveries delivery set ${START_OVER} from page
  where delivery.event_position = page.position and delivery.endpoint_id = $1::uuid and delivery.status = $5
  returning 1
) ${COUNTED}`

/** Records a test event for one endpoint. @returns the event's ID */
export async function insertTestEvent(
  em: EntityManager,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<string> {
  const [row] = await sql<{ id: string }>(
    em,
    `insert into webhook_events (workspace_id, endpoint_id, type, data)
     values ($1::uuid, $2::uuid, $3, jsonb_build_object('webhookId', $2::uuid)) returning id`,
    [workspaceId, id, TEST_EVENT_TYPE],
  )
  return row!.id
}

/** The position after an event in the order in which events are polled. */
export interface EventCursor {
  /** The transaction that recorded the event. */
  xid: string
  position: string
}

/**
 * Reads events of an endpoint's types in the order of their transactions.
 *
 * Race: an event gets its position when it is recorded, and becomes visible when its transaction commits, maybe after events with
 * higher positions. A cursor would skip it. Guard: only events of transactions older than every running one are read, ordered by
 * the transaction. Test: test/webhooks/polling.test.ts.
 */
export async function eventsAfter(
  em: EntityManager,
  {
    id,
    workspaceId,
    events,
    createdAt,
  }: { id: string; workspaceId: string; events: readonly string[]; createdAt: Date },
  after: EventCursor | undefined,
  limit: number,
): Promise<(StoredEvent & EventCursor)[]> {
  const rows = await sql(
    em,
    `with start as materialized (
       -- After a restore, transactions have lower numbers. All restored events then have transaction 0.
       select case when $4::text::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then $4::text::xid8 else '0'::xid8 end as xid
     )
     select event.id, type, created_at, data, event.xid::text, position::text from webhook_events event, start
     where workspace_id = $2::uuid and event.xid < pg_snapshot_xmin(pg_current_snapshot())
       and (event.xid, position) > (start.xid, $5::bigint)
       -- A transaction may be older than the webhook whose events it records.
       and created_at >= $6::timestamptz - interval '1 minute'
       and (endpoint_id = $1::uuid or endpoint_id is null and (type = any($3::text[]) or '*' = any($3::text[])))
     order by event.xid, position limit $7`,
    [id, workspaceId, events, after?.xid ?? '0', after?.position ?? '0', createdAt.toISOString(), limit],
  )
  return toObjects<StoredEvent & EventCursor>(rows, 'createdAt')
}
