import { writeEntry } from '../audit/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { Member } from './entities.ts'
import type { RequestOrigin } from './rate-limits.ts'

/**
 * Writes audit entries for a change of an account, in the transaction of the change: in the given workspaces, or in all
 * workspaces of the account.
 */
export async function writeAuditEntry(
  em: EntityManager,
  operation: string,
  { id, email }: { id: string; email: string },
  { requestId }: RequestOrigin,
  { workspaceIds, targetId = id }: { workspaceIds?: readonly string[]; targetId?: string } = {},
): Promise<void> {
  const unit = unitOf(em)
  const concerned =
    workspaceIds ??
    (await unit.find(Member, { account: id }, { orderBy: { workspace: { id: 'asc' } } })).map(
      ({ workspace }) => workspace.id,
    )
  for (const workspaceId of concerned)
    await writeEntry(unit, {
      workspaceId,
      actor: 'person',
      actorId: id,
      actorName: email,
      operation,
      targetId,
      requestId: requestId ?? null,
    })
}
