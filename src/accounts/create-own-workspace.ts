import type { EntityManager } from '../platform/db/orm.ts'
import { ApiError } from '../platform/api-error.ts'
import { createWorkspace, lockWorkspaces, Workspace, type WorkspaceMode } from '../workspaces/index.ts'
import { Account, Member } from './entities.ts'
import { TOO_MANY_WORKSPACES } from './errors.ts'
import { writeAuditEntry } from './write-audit-entry.ts'
import type { RequestOrigin } from './rate-limits.ts'

/** Maximum number of workspaces of an instance. Every owner can create workspaces, and each one costs resources. */
const MAX_WORKSPACES = 100
/** Maximum number of workspaces per owner. Workspaces share capacity fairly, so an owner of many would slow down the others. */
const MAX_OWNED = 6

/** Creates a workspace with an account as its owner. @throws {ApiError} `too_many_workspaces` */
export const createOwnWorkspace = (
  em: EntityManager,
  { accountId, email }: { accountId: string; email: string },
  { name, mode }: { name: string; mode: WorkspaceMode },
  from: RequestOrigin,
): Promise<Member> =>
  em.transactional(async (unit) => {
    await lockWorkspaces(unit)
    const owned = await unit.count(Member, { account: accountId, role: 'owner' })
    if (owned >= MAX_OWNED || (await unit.count(Workspace)) >= MAX_WORKSPACES) throw new ApiError(TOO_MANY_WORKSPACES)
    const workspace = await createWorkspace(unit, { name, mode })
    const member = unit.create(Member, { workspace, account: unit.getReference(Account, accountId), role: 'owner' })
    await unit.flush()
    await writeAuditEntry(unit, 'createWorkspace', { id: accountId, email }, from, {
      workspaceIds: [workspace.id],
      targetId: workspace.id,
    })
    return member
  })
