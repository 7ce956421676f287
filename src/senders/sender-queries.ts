import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { senderOf, type WorkspaceSender } from './sender.ts'

/** From whom a workspace's mail is; `null`: from whom the instance's is. */
export async function readSender(em: EntityManager, workspaceId: string): Promise<WorkspaceSender | null> {
  const [row] = await sql<{ sender: WorkspaceSender | null }>(em, `select ${senderOf('$1::uuid')} as sender`, [
    workspaceId,
  ])
  return row?.sender ?? null
}
