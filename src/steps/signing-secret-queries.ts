import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** The encrypted signing secrets of a workspace. */
export interface StoredSigningSecret {
  secret: Buffer
  /** The one before, while it signs, too. */
  previous: Buffer | null
}

export async function findSigningSecret(
  em: EntityManager,
  workspaceId: string,
): Promise<StoredSigningSecret | undefined> {
  const [row] = await sql<StoredSigningSecret>(
    em,
    `select secret, case when previous_until > now() then previous end as previous
     from webhook_secrets where workspace_id = $1::uuid`,
    [workspaceId],
  )
  return row
}

/** Stores the first secret of a workspace, unless another process has stored one. */
export async function addSigningSecret(em: EntityManager, workspaceId: string, secret: Buffer): Promise<void> {
  await sql(
    em,
    `insert into webhook_secrets (workspace_id, secret) values ($1::uuid, $2::bytea)
     on conflict (workspace_id) do nothing`,
    [workspaceId, secret],
  )
}

/** @param keepsPrevious whether the present secret still signs for a day */
export async function replaceSigningSecret(
  em: EntityManager,
  workspaceId: string,
  secret: Buffer,
  keepsPrevious: boolean,
): Promise<void> {
  await sql(
    em,
    `insert into webhook_secrets as present (workspace_id, secret) values ($1::uuid, $2::bytea)
     on conflict (workspace_id) do update set secret = excluded.secret,
       previous = case when $3::boolean then present.secret end,
       previous_until = case when $3::boolean then now() + interval '1 day' end`,
    [workspaceId, secret, keepsPrevious],
  )
}
