import type { FinishedRequest } from '../http/index.ts'
import { type Cursor, isAfterCursor, microsOf, toItems } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'

/** Days for which requests are kept. */
export const RETENTION_DAYS = 7

/** Classes of HTTP statuses. */
export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const
type StatusClass = (typeof STATUS_CLASSES)[number]

/** A finished request with its ID and its time. */
export type NewRequest = FinishedRequest & { id: string; createdAt: Date }

/** Inserts requests with one statement. */
export async function insertRequests(em: EntityManager, requests: readonly NewRequest[]): Promise<void> {
  const columnOf = (name: keyof NewRequest) => requests.map((request) => request[name])
  await preparedSql(em, 'insert-requests', INSERT, [
    columnOf('id'),
    columnOf('workspaceId'),
    columnOf('keyId'),
    columnOf('method'),
    columnOf('path'),
    columnOf('status'),
    columnOf('errorCode'),
    columnOf('errorParam'),
    columnOf('durationMs'),
    columnOf('requestId'),
    columnOf('createdAt'),
  ])
}

const INSERT = `
insert into request_log (
  id, workspace_id, api_key_id, method, path, status, error_code, error_param, duration_ms, request_id, created_at
)
select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[],
  $9::integer[], $10::text[], $11::timestamptz[])`

export interface ListedRequest extends Omit<FinishedRequest, 'workspaceId'> {
  id: string
  createdAt: Date
  place: Cursor
}

export interface RequestFilters {
  keyId?: string | undefined
  status?: StatusClass | undefined
  requestId?: string | undefined
}

/** Lists a page of a workspace's requests, newest first. */
export async function requestsOf(
  em: EntityManager,
  workspaceId: string,
  { keyId, status, requestId, behind, limit }: RequestFilters & { behind: Cursor | undefined; limit: number },
): Promise<ListedRequest[]> {
  const parameters = [workspaceId, behind?.micros ?? null, behind?.id ?? null, limit]
  const isEqual = (column: string, value: string | undefined, type: string) =>
    value === undefined ? '' : `and ${column} = $${parameters.push(value)}::${type}`
  // The range is part of the text, so that the planner can use the index of errors.
  const isInClass = status === undefined ? '' : `and status between ${status[0]}00 and ${status[0]}99`
  const rows = await sql(
    em,
    `select id, api_key_id as key_id, method, path, status, error_code, error_param, duration_ms, request_id, created_at,
       ${microsOf('created_at')}
     from request_log
     where workspace_id = $1::uuid and ${isAfterCursor('created_at', '$2', '$3')} ${isInClass}
       ${isEqual('api_key_id', keyId, 'uuid')} ${isEqual('request_id', requestId, 'text')}
     order by created_at desc, id desc limit $4`,
    parameters,
  )
  return toItems<ListedRequest>(rows, 'createdAt')
}

/** Maximum count: a key can make a million requests a minute. */
export const MAX_COUNTED = 100_000

/** Counts the requests of a key in the last 24 hours, up to `MAX_COUNTED`. */
export async function countRequests(em: EntityManager, workspaceId: string, keyId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from (
       select from request_log
       where workspace_id = $1::uuid and api_key_id = $2::uuid and created_at > now() - interval '24 hours' limit $3
     ) those`,
    [workspaceId, keyId, MAX_COUNTED],
  )
  return row!.count
}

/** Deletes requests after their retention time. IDs are in the order of time, so their index finds the oldest. @returns how many */
export async function deleteOldRequests(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from request_log where id in (
       select id from (select id, created_at from request_log order by id limit $1) oldest
       where created_at < now() - make_interval(days => $2::integer)
     ) returning id`,
    [limit, RETENTION_DAYS],
  )
  return rows.length
}
