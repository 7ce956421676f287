import type { WorkspaceMode } from './api-key.ts'
import { Workspace } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** Makes a workspace. Its mode decides what its keys start with, and whether its mail is ever delivered. */
export async function createWorkspace(
  em: EntityManager,
  { name, mode }: { name: string; mode: WorkspaceMode },
): Promise<Workspace> {
  const fork = em.fork()
  const workspace = fork.create(Workspace, { name, mode })
  await fork.flush()
  return workspace
}

export const listWorkspaces = (em: EntityManager): Promise<Workspace[]> =>
  em.fork().findAll(Workspace, { orderBy: { createdAt: 'asc', id: 'asc' } })
