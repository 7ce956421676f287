import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { senderOf, type WorkspaceSender } from './sender.ts'

/** Reads the sender of a workspace, or `null` if it uses the instance's sender. */
export async function readSender(em: EntityManager, workspaceId: string): Promise<WorkspaceSender | null> {
  const [row] = await sql<{ sender: WorkspaceSender | null }>(em, `select ${senderOf('$1::uuid')} as sender`, [
    workspaceId,
  ])
  return row?.sender ?? null
}

/** Returns whether a workspace has a media file with a hash. */
export async function hasMediaFile(em: EntityManager, workspaceId: string, hash: string): Promise<boolean> {
  const rows = await sql(em, 'select from media_files where workspace_id = $1::uuid and hash = $2', [workspaceId, hash])
  return rows.length > 0
}
