import type { EntityManager } from '../platform/db/orm.ts'
import { Refusal } from '../platform/refusal.ts'
import { createWorkspace, lockWorkspaces, Workspace, type WorkspaceMode } from '../workspaces/index.ts'
import { Account, Member } from './entities.ts'
import { TOO_MANY_WORKSPACES } from './refusals.ts'
import { tell } from './tell.ts'
import type { From } from './windows.ts'

/** Whoever owns one makes them: nobody needs as many, and each costs some. */
const MOST_WORKSPACES = 100
/** Of one account: each has a share of what all share, and whoever had twenty kept everybody else waiting. */
const MOST_OWNED = 6

/** Makes a workspace, and an account its owner. @throws {Refusal} `too_many_workspaces` */
export const foundWorkspace = (
  em: EntityManager,
  { accountId, email }: { accountId: string; email: string },
  { name, mode }: { name: string; mode: WorkspaceMode },
  from: From,
): Promise<Member> =>
  em.transactional(async (unit) => {
    await lockWorkspaces(unit)
    const owned = await unit.count(Member, { account: accountId, role: 'owner' })
    if (owned >= MOST_OWNED || (await unit.count(Workspace)) >= MOST_WORKSPACES) throw new Refusal(TOO_MANY_WORKSPACES)
    const workspace = await createWorkspace(unit, { name, mode })
    const member = unit.create(Member, { workspace, account: unit.getReference(Account, accountId), role: 'owner' })
    await unit.flush()
    await tell(unit, 'createWorkspace', { id: accountId, email }, from, {
      workspaceIds: [workspace.id],
      targetId: workspace.id,
    })
    return member
  })
