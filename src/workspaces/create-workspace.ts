import type { WorkspaceMode } from '../http/index.ts'
import { Workspace } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'

/** Creates a workspace. Its mode sets the prefix of its keys, and whether its mail is captured. */
export async function createWorkspace(
  em: EntityManager,
  { name, mode }: { name: string; mode: WorkspaceMode },
): Promise<Workspace> {
  const fork = unitOf(em)
  const workspace = fork.create(Workspace, { name, mode })
  await fork.flush()
  return workspace
}

export const listWorkspaces = (em: EntityManager): Promise<Workspace[]> =>
  unitOf(em).findAll(Workspace, { orderBy: { createdAt: 'asc', id: 'asc' } })

export const getWorkspace = (em: EntityManager, id: string): Promise<Workspace> =>
  unitOf(em).findOneOrFail(Workspace, id)

/** Changes the settings that are given. */
export async function updateWorkspace(
  em: EntityManager,
  id: string,
  {
    name,
    timezone,
    eventRetentionDays,
  }: { name?: string | undefined; timezone?: string | undefined; eventRetentionDays?: number | undefined },
): Promise<Workspace> {
  const unit = unitOf(em)
  const workspace = await unit.findOneOrFail(Workspace, id)
  if (name !== undefined) workspace.name = name
  if (timezone !== undefined) workspace.timezone = timezone
  if (eventRetentionDays !== undefined) workspace.eventRetentionDays = eventRetentionDays
  await unit.flush()
  return workspace
}
