import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import type { SourceCall } from './schemas.ts'
import type { SourceContext } from './source-context.ts'

/** Minutes for which a call of an unknown user is kept. */
export const KEPT_MINUTES = 10
/** The maximum number of calls that are kept for one user. */
const MAX_KEPT_OF_USER = 1_000

/** How a call arrived. */
export type KeptContext = Omit<SourceContext, 'workspaceId'>

export interface KeptCall {
  id: string
  workspaceId: string
  userId: string
  call: SourceCall
  context: KeptContext
  requestId: string | null
}

/** Keeps a call until a contact has its userId. @returns false if the user has too many already */
export async function keepCall(em: EntityManager, kept: KeptCall): Promise<boolean> {
  const [row] = await sql<{ is_kept: boolean }>(
    em,
    `with added as (
       insert into kept_calls (id, workspace_id, user_id, call, context, request_id)
       select $1::uuid, $2::uuid, $3, $4::jsonb, $5::jsonb, $6
       where (select count(*) from kept_calls where workspace_id = $2::uuid and user_id = $3) < $7
       on conflict (id) do nothing returning 1
     )
     select exists (select from added) or exists (select from kept_calls where id = $1::uuid) as is_kept`,
    [
      ...[kept.id, kept.workspaceId, kept.userId, JSON.stringify(kept.call), JSON.stringify(kept.context)],
      ...[kept.requestId, MAX_KEPT_OF_USER],
    ],
  )
  return row!.is_kept
}

/** Reads the kept calls of a user, also those under an ID that a kept alias call replaces, in their order. */
export async function keptCallsOf(em: EntityManager, workspaceId: string, userId: string): Promise<KeptCall[]> {
  await sql(
    em,
    `update kept_calls set user_id = $2,
       call = case call ->> 'type' when 'alias' then call else call || jsonb_build_object('userId', $2::text) end
     where workspace_id = $1::uuid and user_id in (
       select call ->> 'previousId' from kept_calls
       where workspace_id = $1::uuid and call ->> 'type' = 'alias' and call ->> 'userId' = $2
     )`,
    [workspaceId, userId],
  )
  return readKept(em, 'workspace_id = $1::uuid and user_id = $2 order by received_at, id', [workspaceId, userId])
}

/** Reads kept calls whose user is a contact by now, in their order. */
export const keptCallsOfContacts = (em: EntityManager, limit: number): Promise<KeptCall[]> =>
  readKept(
    em,
    `exists (select from contacts where contacts.workspace_id = kept.workspace_id and external_id = kept.user_id)
     order by received_at, id limit $1`,
    [limit],
  )

async function readKept(em: EntityManager, rest: string, parameters: readonly unknown[]): Promise<KeptCall[]> {
  const rows = await sql(
    em,
    `select id, workspace_id, user_id, call, context, request_id from kept_calls kept where ${rest}`,
    parameters,
  )
  return toObjects<KeptCall>(rows)
}

/** Takes a kept call, to apply it in this transaction. @returns false if another process has taken it */
export async function takeKeptCall(em: EntityManager, id: string): Promise<boolean> {
  const taken = await sql(em, 'delete from kept_calls where id = $1::uuid returning 1', [id])
  return taken.length > 0
}

/**
 * Deletes calls whose user did not become known in time. If one is known, its calls are about to be applied: no worker may have
 * run for a while. After a day they are deleted anyway.
 *
 * @returns how many
 */
export async function deleteOldKeptCalls(em: EntityManager, limit: number): Promise<number> {
  const old = await sql<{ id: string }>(
    em,
    `select id from kept_calls kept where received_at <= now() - make_interval(mins => $1) and (
       received_at <= now() - interval '1 day'
       or not exists (select from contacts where workspace_id = kept.workspace_id and external_id = kept.user_id)
     ) order by received_at limit $2`,
    [KEPT_MINUTES, limit],
  )
  const deleted = await sql(em, 'delete from kept_calls where id = any($1::uuid[]) returning 1', [
    old.map(({ id }) => id),
  ])
  return deleted.length
}

/**
 * Records the time of an identify call, in the transaction that applies it.
 * @returns whether it is the newest one of the contact
 */
export async function recordIdentified(em: EntityManager, contactId: string, at: Date): Promise<boolean> {
  const [newest] = await sql<{ is_newest: boolean }>(
    em,
    `insert into identified_contacts as known (contact_id, identified_at) values ($1::uuid, $2::timestamptz)
     on conflict (contact_id) do update set identified_at = greatest(known.identified_at, excluded.identified_at)
     returning identified_at = $2::timestamptz as is_newest`,
    [contactId, at.toISOString()],
  )
  return newest!.is_newest
}
