import { writeEntry } from '../audit/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { Member } from './entities.ts'
import type { From } from './rate-limits.ts'

/**
 * Tells of what somebody has done with their account, in the transaction that does it: in the workspaces it concerns, for their
 * owners; in all that the account is a member of, where nothing is said.
 */
export async function writeAuditEntry(
  em: EntityManager,
  operation: string,
  { id, email }: { id: string; email: string },
  { requestId }: From,
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
