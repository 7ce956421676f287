import type { Delivery } from '../outbox/index.ts'
import { isOfValues } from '../platform/ids.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { OperationResponse } from './operation.ts'

/** The lifetime of a stored response, in hours. */
const IDEMPOTENCY_HOURS = 24

/** Maximum seconds for the tasks after a commit. They wait at most three seconds for emails in flight. */
const AFTER_COMMIT_SECONDS = 10

/** Seconds after which another attempt may take over a request with an Idempotency-Key. */
const LEASE_SECONDS = 30

export type KeyClaim =
  /** The caller must run the request. `id` is the same for every attempt; `retried` is true for all but the first one. */
  | { kind: 'mine'; id: string; attempt: number; retried: boolean }
  | {
      kind: 'answered'
      sameRequest: boolean
      status: number
      headers: Record<string, string>
      body: unknown
    }
  | { kind: 'in-flight'; sameRequest: boolean }
  /** The request ran for a contact who has been erased since. Its content and its response are deleted. */
  | { kind: 'erased' }

/** One attempt at a request. It owns the key until another attempt takes over. */
export interface Attempt {
  workspaceId: string
  key: string
  id: string
  attempt: number
}

/** Claims an Idempotency-Key for a request, unless another request has it. */
export async function takeIdempotencyKey(
  em: EntityManager,
  workspaceId: string,
  key: string,
  { id, fingerprint }: { id: string; fingerprint: Buffer },
): Promise<KeyClaim> {
  const [row] = await sql<{
    mine: boolean
    id: string
    attempt: number
    retried: boolean
    same_request: boolean
    erased: boolean
    status: number | null
    is_leased: boolean
    headers: Record<string, string> | null
    body: unknown
  }>(em, TAKE, [workspaceId, key, id, fingerprint, LEASE_SECONDS, IDEMPOTENCY_HOURS])
  // Between the two parts of the statement, another attempt claimed and released the key.
  if (!row) return { kind: 'in-flight', sameRequest: true }
  if (row.mine) return { kind: 'mine', id: row.id, attempt: row.attempt, retried: row.retried }
  if (row.erased) return { kind: 'erased' }
  return row.status === null || row.is_leased
    ? { kind: 'in-flight', sameRequest: row.same_request }
    : {
        kind: 'answered',
        sameRequest: row.same_request,
        status: row.status,
        headers: row.headers ?? {},
        body: row.body,
      }
}

const TAKE = `
with taken as (
  insert into idempotency_keys as kept (workspace_id, key, id, fingerprint, lease_until)
  values ($1::uuid, $2, $3::uuid, $4::bytea, now() + make_interval(secs => $5))
  on conflict (workspace_id, key) do update set
    -- An attempt that died is resumed under the same id; a key that is too old starts over.
    id = case when kept.created_at > now() - make_interval(hours => $6) then kept.id else excluded.id end,
    created_at = case when kept.created_at > now() - make_interval(hours => $6) then kept.created_at else now() end,
    attempt = kept.attempt + 1,
    fingerprint = excluded.fingerprint, status = null, headers = null, body = null, contact_id = null,
    lease_until = excluded.lease_until
  where kept.created_at <= now() - make_interval(hours => $6)
    or (kept.status is null and kept.lease_until <= now() and kept.fingerprint = excluded.fingerprint)
  returning id, attempt, xmax <> 0 and id <> $3::uuid as retried
)
select true as mine, id, attempt, retried, true as same_request, false as erased,
  null::integer as status, false as is_leased, null::jsonb as headers, null::jsonb as body
from taken
union all
select false, id, attempt, false, fingerprint = $4::bytea, fingerprint is null, status,
  lease_until > clock_timestamp() as is_leased, headers, body
from idempotency_keys
where workspace_id = $1::uuid and key = $2 and not exists (select from taken)`

/**
 * Stores the response to a request.
 *
 * @param answer.contactId the contact whose data it holds. It is erased with the contact, and not stored if the contact is gone.
 * @param options.isFinal whether it may be replayed immediately; otherwise after `endLease`
 * @returns whether the attempt still had the key
 */
export async function storeResponse(
  em: EntityManager,
  { workspaceId, key, id, attempt }: Attempt,
  { status, headers = {}, body, contactId = null }: OperationResponse,
  { isFinal }: { isFinal: boolean },
): Promise<boolean> {
  // Race: the contact is erased while the response is stored. Guard: both lock the contact's row, so that either the erasure finds the
  // response, or the response finds no contact. Test: "stores no response about a contact who was erased in the meantime".
  const isHere =
    contactId === null ||
    // An address without a contact, which cannot be erased on its own.
    isOfValues(contactId) ||
    (await sql(em, 'select from contacts where id = $1::uuid for share', [contactId])).length > 0
  const rows = await sql(
    em,
    `update idempotency_keys kept set
       status = $4::integer,
       headers = $8::jsonb,
       body = $5::jsonb,
       contact_id = $6::uuid,
       fingerprint = case when $10::boolean then fingerprint end,
       lease_until = clock_timestamp() + make_interval(secs => $9::float8)
     where workspace_id = $1::uuid and key = $2 and kept.id = $3::uuid and attempt = $7 and status is null
     returning key`,
    [
      workspaceId,
      key,
      id,
      status,
      isHere ? JSON.stringify(body) : null,
      isHere ? contactId : null,
      attempt,
      isHere ? JSON.stringify(headers) : null,
      isFinal ? 0 : AFTER_COMMIT_SECONDS,
      isHere,
    ],
  )
  return rows.length > 0
}

/**
 * Ends the lease of an attempt. If it has a response, the response is replayed from now on. If not, the next attempt may begin.
 * @param hasResponse whether the attempt must have a response: if that does not match, nothing changes
 */
export async function endLease(
  em: EntityManager,
  { workspaceId, key, id, attempt }: Attempt,
  { hasResponse }: { hasResponse: boolean },
): Promise<void> {
  await sql(
    em,
    `update idempotency_keys set lease_until = now()
     where workspace_id = $1::uuid and key = $2 and id = $3::uuid and attempt = $4 and (status is not null) = $5::boolean`,
    [workspaceId, key, id, attempt, hasResponse],
  )
}

/**
 * Deletes the content and the responses of requests for a contact, and keeps their keys, because a repeated request must not
 * bring the contact back. Fingerprints are deleted too, because an address could be guessed from one, and so are keys that
 * contain the address.
 */
export async function eraseRequests(
  em: EntityManager,
  { id: contactId, addressIds }: { id: string; addressIds: readonly string[] },
): Promise<readonly Delivery[]> {
  const ids = [contactId, ...addressIds]
  const [contact] = await sql<{ email: string; email_key: string }>(
    em,
    'select email, email_key from contacts where id = $1::uuid',
    [contactId],
  )
  if (contact) {
    await sql(
      em,
      `delete from idempotency_keys where contact_id = any($1::uuid[])
         and (strpos(lower(key), lower($2)) > 0 or strpos(lower(key), $3) > 0)`,
      [ids, contact.email, contact.email_key],
    )
  }
  await sql(
    em,
    // The call that created a contact has the ID of the contact.
    `update idempotency_keys set id = gen_random_uuid(), fingerprint = null, headers = null, body = null, contact_id = null
     where contact_id = any($1::uuid[])`,
    [ids],
  )
  return []
}

/** Deletes expired keys. */
export async function forgetIdempotencyKeys(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from idempotency_keys where (workspace_id, key) in (
       select workspace_id, key from idempotency_keys where created_at <= now() - make_interval(hours => $2)
       limit $1 for update skip locked
     ) returning key`,
    [limit, IDEMPOTENCY_HOURS],
  )
  return rows.length
}

/** Ends leases that end further in the future than any lease should, because Postgres's clock was set back. */
export async function shortenRequestLeases(em: EntityManager, maxMinutes: number): Promise<void> {
  await sql(
    em,
    `update idempotency_keys set lease_until = now()
     where lease_until > now() + make_interval(mins => $1::integer) and created_at > now()`,
    [maxMinutes],
  )
}
