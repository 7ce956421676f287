import type { WorkspaceMode } from '../http/index.ts'
import { Workspace } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'

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

/** Workspaces that keep messages and step runs for a limited time. */
export const workspacesWithHistoryLimit = (em: EntityManager): Promise<Workspace[]> =>
  unitOf(em).find(Workspace, { historyRetentionDays: { $ne: null } }, FRESH_READ)

/** The settings that owners change. */
export type WorkspaceSettings = {
  [Setting in 'name' | 'timezone' | 'eventRetentionDays' | 'contentRetentionDays' | 'historyRetentionDays']?:
    Workspace[Setting] | undefined
}

/** Changes the settings that are given. */
export async function updateWorkspace(em: EntityManager, id: string, settings: WorkspaceSettings): Promise<Workspace> {
  const unit = unitOf(em)
  const workspace = await unit.findOneOrFail(Workspace, id)
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  Object.assign(workspace, Object.fromEntries(given))
  await unit.flush()
  return workspace
}
