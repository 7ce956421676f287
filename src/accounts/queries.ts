import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate, toObjects } from '../platform/db/sql.ts'
import type { Challenge } from './entities.ts'
import type { SignedIn } from '../http/index.ts'
import type { WorkspaceMode, Role } from '../workspaces/index.ts'

interface SessionRow {
  session_id: string
  account_id: string
  email: string
  role: Role | null
  workspace_id: string | null
  workspace_name: string
  mode: WorkspaceMode
  allowed: boolean
  remaining: number
  reset_at: string
  retry_after: number
  was_used_recently: boolean
}

/** Requests of one session. */
export interface SessionRequests {
  tokenHash: Buffer
  /** The workspace that the requests name. */
  workspaceId: string | null
  /** Requests per minute. */
  limit: number
  count: number
}

/**
 * Looks a session up and counts requests in its rate limit, in one statement. The limit is per session, so a stolen session cannot
 * keep its owner from ending it from another one. A session lasts 14 days from its last use, and at most 90.
 *
 * @returns one result per request, in order: `undefined` if the session does not exist or has expired
 */
export async function admitSession(
  em: EntityManager,
  { tokenHash, workspaceId, limit, count }: SessionRequests,
): Promise<(SignedIn | undefined)[]> {
  const rows = await preparedSql<SessionRow>(em, 'admit-session', ADMIT_SESSION, [tokenHash, workspaceId, limit, count])
  if (rows[0] && !rows[0].was_used_recently) await extendSession(em, rows[0].session_id)
  return Array.from({ length: count }, (_none, n) => rows[n] && signedInOf(rows[n], limit))
}

function signedInOf(row: SessionRow, limit: number): SignedIn {
  const { role, workspace_id: id, workspace_name: name, mode } = row
  return {
    sessionId: row.session_id,
    account: { id: row.account_id, email: row.email },
    membership: role === null || id === null ? null : { role, workspace: { id, name, mode } },
    rateLimit: {
      allowed: row.allowed,
      limit,
      remaining: row.remaining,
      resetAt: toDate(row.reset_at),
      retryAfter: row.retry_after,
    },
  }
}

const ADMIT_SESSION = `
with found as (
  select session.id as session_id, account.id as account_id, account.email,
    session.last_used_at > now() - interval '1 minute' as was_used_recently,
    member.role, workspace.id as workspace_id, workspace.name as workspace_name, workspace.mode
  from sessions session
  join accounts account on account.id = session.account_id
  left join members member on member.account_id = account.id and member.workspace_id = $2::uuid
  left join workspaces workspace on workspace.id = member.workspace_id
  where session.token_hash = $1::bytea and session.expires_at > now()
)
select found.*, window_.*
from found cross join generate_series(1, $4::integer) n
-- The argument depends on n, so that it is called for each request.
cross join lateral take_request(md5('session ' || session_id)::uuid, case when n > 0 then $3::integer end, null) window_
order by n`

/** @returns `undefined` if there is no such account */
export async function emailOfAccount(em: EntityManager, id: string): Promise<string | undefined> {
  const [row] = await sql<{ email: string }>(em, 'select email from accounts where id = $1::uuid', [id])
  return row?.email
}

/** Extends a session that is in use. Called about once a minute at most, so that requests rarely write. */
async function extendSession(em: EntityManager, id: string): Promise<void> {
  await sql(
    em,
    `update sessions set last_used_at = now(), expires_at = least(created_at + interval '90 days', now() + interval '14 days')
     where id = $1::uuid and last_used_at < now() - interval '1 minute'`,
    [id],
  )
}

/** Locks an account. Does not block inserts that reference it, such as an invitation. */
export async function lockAccountRow(em: EntityManager, accountId: string): Promise<void> {
  await sql(em, 'select from accounts where id = $1::uuid for no key update', [accountId])
}

/** Ends the least recently used sessions of an account. @param most number of sessions to keep */
export async function endOtherSessions(em: EntityManager, accountId: string, most: number): Promise<void> {
  await sql(
    em,
    `delete from sessions where account_id = $1::uuid and id not in
       (select id from sessions where account_id = $1::uuid order by last_used_at desc, id desc limit $2)`,
    [accountId, most],
  )
}

/** Lifetime of an unused session. */
export const SESSION_IDLE_MS = 14 * 86_400_000

/** Counts a sign-in attempt. @param subject what the limit applies to, such as an account or an IP address */
export async function countAttempt(
  em: EntityManager,
  subject: string,
  limit: number,
): Promise<{ allowed: boolean; retryAfter: number }> {
  const rows = await sql(
    em,
    `select allowed, retry_after from take_request(md5('guess ' || $1)::uuid, $2::integer, null)`,
    [subject, limit],
  )
  return toObjects<{ allowed: boolean; retryAfter: number }>(rows)[0]!
}

/** Consumes a challenge. @returns its data, or `undefined` if it was used, has expired, or belongs to another account */
export async function useChallenge(
  em: EntityManager,
  purpose: Challenge['purpose'],
  tokenHash: Buffer,
  accountId: string | undefined,
): Promise<Record<string, string> | undefined> {
  const [row] = await sql<{ data: Record<string, string> }>(
    em,
    `delete from challenges
     where token_hash = $1::bytea and purpose = $2 and account_id is not distinct from $3::uuid and expires_at > now()
     returning data`,
    [tokenHash, purpose, accountId ?? null],
  )
  return row?.data
}

/** Adds an account to workspaces. An existing member gets the higher of both roles. */
export async function joinWorkspaces(
  em: EntityManager,
  accountId: string,
  workspaceIds: readonly string[],
  role: Role,
): Promise<void> {
  await sql(
    em,
    `insert into members as member (workspace_id, account_id, role)
     select id, $1::uuid, $3 from unnest($2::uuid[]) as id order by id
     on conflict (workspace_id, account_id) do update set role = excluded.role
       where array_position(array['viewer', 'editor', 'owner'], excluded.role)
         > array_position(array['viewer', 'editor', 'owner'], member.role)`,
    [accountId, workspaceIds, role],
  )
}

/** Locks the owners of a workspace until the end of the transaction. @returns their account IDs */
export async function lockOwners(em: EntityManager, workspaceId: string): Promise<string[]> {
  await sql(em, 'select from workspaces where id = $1::uuid for no key update', [workspaceId])
  const rows = await sql<{ account_id: string }>(
    em,
    `select account_id from members where workspace_id = $1::uuid and role = 'owner'`,
    [workspaceId],
  )
  return rows.map(({ account_id }) => account_id)
}

/** Deletes the invitations of an account that may no longer invite to a workspace. */
export async function deleteInvitationsOf(em: EntityManager, workspaceId: string, accountId: string): Promise<void> {
  await sql(
    em,
    `delete from invitations where invited_by_id = $2::uuid
     and id in (select invitation_id from invitation_workspaces where workspace_id = $1::uuid)`,
    [workspaceId, accountId],
  )
}

/** Deletes expired sessions, invitations and challenges. @returns how many */
export async function deleteExpired(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `with sessions_ as (
       delete from sessions where id in (select id from sessions where expires_at <= now() limit $1 for update skip locked)
       returning id
     ),
     invitations_ as (
       delete from invitations where id in (select id from invitations where expires_at <= now() limit $1 for update skip locked)
       returning id
     ),
     challenges_ as (
       delete from challenges where token_hash in
         (select token_hash from challenges where expires_at <= now() limit $1 for update skip locked)
       returning token_hash
     )
     select 1 from sessions_ union all select 1 from invitations_ union all select 1 from challenges_`,
    [limit],
  )
  return rows.length
}

/** Lists the owners of workspaces. */
export async function ownersOf(
  em: EntityManager,
  workspaceIds: readonly string[],
): Promise<{ workspaceId: string; accountId: string }[]> {
  const rows = await sql(
    em,
    `select workspace_id, account_id from members where workspace_id = any($1::uuid[]) and role = 'owner'`,
    [workspaceIds],
  )
  return toObjects<{ workspaceId: string; accountId: string }>(rows)
}

/** Returns the email address of an owner of a workspace; `undefined` if the account is not an owner. */
export async function findOwnersAddress(
  em: EntityManager,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
): Promise<string | undefined> {
  const [row] = await sql<{ email: string }>(
    em,
    `select email from members join accounts on accounts.id = account_id
     where workspace_id = $1::uuid and account_id = $2::uuid and role = 'owner'`,
    [workspaceId, accountId],
  )
  return row?.email
}
