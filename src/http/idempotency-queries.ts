import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** How long an answer is kept, in hours. */
export const IDEMPOTENCY_HOURS = 24

/** How long what follows a commit may take that an answer promises, in seconds: nobody waits longer for senders, and those who died begin nothing. */
const PROMISE_SECONDS = 10

/** How long a request that carries a key may take before another attempt may go on in its place, in seconds. */
const LEASE_SECONDS = 30

export type Taken =
  /** This request is to be done. `id` is the same for every attempt of it; `retried` where it is not the first one. */
  | { kind: 'mine'; id: string; attempt: number; retried: boolean }
  /** Without a body where that is too large to be kept. `contactId`: whom it was about. */
  | {
      kind: 'answered'
      sameRequest: boolean
      id: string
      contactId: string | null
      status: number
      headers: Record<string, string>
      body: unknown
    }
  | { kind: 'in-flight'; sameRequest: boolean }
  /** It was done for a contact who has been erased since. What it asked, and what it was answered, is forgotten. */
  | { kind: 'erased' }

/** One attempt at a request: it has the key as long as no other one has taken over. */
export interface Attempt {
  workspaceId: string
  key: string
  id: string
  attempt: number
}

/** Takes an Idempotency-Key for a request, unless another request has it. */
export async function takeIdempotencyKey(
  em: EntityManager,
  workspaceId: string,
  key: string,
  { id, fingerprint }: { id: string; fingerprint: Buffer },
): Promise<Taken> {
  const [row] = await sql<{
    mine: boolean
    id: string
    attempt: number
    retried: boolean
    same_request: boolean
    erased: boolean
    contact_id: string | null
    status: number | null
    is_promised: boolean
    headers: Record<string, string> | null
    body: unknown
  }>(em, TAKE, [workspaceId, key, id, fingerprint, LEASE_SECONDS, IDEMPOTENCY_HOURS])
  // Between the two halves of the statement another attempt had it, and gave it back.
  if (!row) return { kind: 'in-flight', sameRequest: true }
  if (row.mine) return { kind: 'mine', id: row.id, attempt: row.attempt, retried: row.retried }
  if (row.erased) return { kind: 'erased' }
  return row.status === null || row.is_promised
    ? { kind: 'in-flight', sameRequest: row.same_request }
    : {
        kind: 'answered',
        sameRequest: row.same_request,
        id: row.id,
        contactId: row.contact_id,
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
    -- An attempt that died is resumed under the same id; a key that is too old begins anew.
    id = case when kept.created_at > now() - make_interval(hours => $6) then kept.id else excluded.id end,
    created_at = case when kept.created_at > now() - make_interval(hours => $6) then kept.created_at else now() end,
    attempt = kept.attempt + 1,
    done = case when kept.created_at > now() - make_interval(hours => $6) then kept.done else '{}' end,
    fingerprint = excluded.fingerprint, status = null, headers = null, body = null, contact_id = null,
    lease_until = excluded.lease_until
  where kept.created_at <= now() - make_interval(hours => $6)
    or (kept.status is null and kept.lease_until <= now() and kept.fingerprint = excluded.fingerprint)
  returning id, attempt, xmax <> 0 and id <> $3::uuid as retried
)
select true as mine, id, attempt, retried, true as same_request, false as erased, null::uuid as contact_id,
  null::integer as status, false as is_promised, null::jsonb as headers, null::jsonb as body
from taken
union all
select false, id, attempt, false, fingerprint = $4::bytea, fingerprint is null, contact_id, status,
  lease_until > clock_timestamp() as is_promised, headers, body
from idempotency_keys
where workspace_id = $1::uuid and key = $2 and not exists (select from taken)`

/**
 * Keeps the answer.
 * @param answer.isPromised whether what it says is still being done: nobody is answered by it before `keepPromise`
 * @param answer.contactId the contact whose data it holds: it is erased with it, and not kept where that is erased already.
 * @returns whether the attempt still had the key.
 */
export async function keepAnswer(
  em: EntityManager,
  { workspaceId, key, id, attempt }: Attempt,
  answer: { status: number; headers: object; body: unknown; contactId: string | null; isPromised?: boolean },
): Promise<boolean> {
  // Under the lock that an erasure takes: either it sees the answer, or the answer sees that the contact is gone.
  if (answer.contactId !== null) await sql(em, `select from contacts where id = $1::uuid for share`, [answer.contactId])
  const rows = await sql(
    em,
    `update idempotency_keys kept set
       status = $4::integer,
       headers = case when here then $8::jsonb end,
       body = case when here then $5::jsonb end,
       contact_id = case when here then $6::uuid end,
       fingerprint = case when here then fingerprint end,
       lease_until = clock_timestamp() + make_interval(secs => $9::float8)
     from (select $6::uuid is null or exists (select from contacts where id = $6::uuid) as here) contact
     where workspace_id = $1::uuid and key = $2 and kept.id = $3::uuid and attempt = $7 and status is null
     returning key`,
    [
      workspaceId,
      key,
      id,
      answer.status,
      JSON.stringify(answer.body),
      answer.contactId,
      attempt,
      JSON.stringify(answer.headers),
      answer.isPromised ? PROMISE_SECONDS : 0,
    ],
  )
  return rows.length > 0
}

/** What an answer says is done: it is given to whoever repeats the request from now on. */
export async function keepPromise(em: EntityManager, { workspaceId, key, id, attempt }: Attempt): Promise<void> {
  await sql(
    em,
    `update idempotency_keys set lease_until = now()
     where workspace_id = $1::uuid and key = $2 and id = $3::uuid and attempt = $4`,
    [workspaceId, key, id, attempt],
  )
}

/**
 * Forgets what requests asked and were answered that were done for a contact, and keeps their keys: a repeated one must not
 * bring the contact back. A fingerprint goes, too, because an address could be guessed from it; and so does a key that has
 * the address in it.
 */
export async function eraseRequests(
  em: EntityManager,
  { id: contactId }: { id: string },
): Promise<readonly Delivery[]> {
  await sql(
    em,
    `delete from idempotency_keys kept using contacts contact
     where kept.contact_id = $1::uuid and contact.id = kept.contact_id
       and (strpos(lower(key), lower(email)) > 0 or strpos(lower(key), email_key) > 0)`,
    [contactId],
  )
  await sql(
    em,
    // The id of the call that created a contact is the contact's own.
    `update idempotency_keys set id = gen_random_uuid(), fingerprint = null, headers = null, body = null, contact_id = null
     where contact_id = $1::uuid`,
    [contactId],
  )
  return []
}

/** Notes that a part of a request is done, in the transaction that does it. */
export async function noteDone(
  em: EntityManager,
  { workspaceId, key, id, attempt }: Attempt,
  part: string,
): Promise<'noted' | 'done' | 'overtaken'> {
  const [row] = await sql<{ done: boolean }>(
    em,
    `select $5 = any(done) as done from idempotency_keys
     where workspace_id = $1::uuid and key = $2 and id = $3::uuid and attempt = $4 for update`,
    [workspaceId, key, id, attempt, part],
  )
  if (!row) return 'overtaken'
  if (row.done) return 'done'
  await sql(
    em,
    `update idempotency_keys set done = array_append(done, $3) where workspace_id = $1::uuid and key = $2`,
    [workspaceId, key, part],
  )
  return 'noted'
}

/** Gives a key back whose request has failed and left nothing: the next attempt begins at once. */
export async function releaseIdempotencyKey(
  em: EntityManager,
  { workspaceId, key, id, attempt }: Attempt,
): Promise<void> {
  await sql(
    em,
    `update idempotency_keys set lease_until = now()
     where workspace_id = $1::uuid and key = $2 and id = $3::uuid and attempt = $4 and status is null`,
    [workspaceId, key, id, attempt],
  )
}

/** Forgets keys that are too old. */
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
