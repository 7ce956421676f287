import { writeEntry } from '../audit/index.ts'
import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { Member } from './entities.ts'
import type { RequestOrigin } from './rate-limits.ts'

/**
 * Writes audit entries for a use or a change of an account, in the transaction of the change: in the given workspaces, or in all
 * workspaces of the account.
 */
export async function writeAuditEntry(
  em: EntityManager,
  operation: string,
  { id, email }: { id: string; email: string },
  { requestId, address }: RequestOrigin,
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
      address,
    })
}

/** The ways in which an account is used: operations of the API, and attempts with a wrong password. */
export type Use =
  | 'signIn'
  | 'failedSignIn'
  | 'signInWithPasskey'
  | 'completeOidcSignIn'
  | 'signOut'
  | 'endSession'
  | 'endAllSessions'
  | 'resetPassword'

/** Writes audit entries and a log line for a use of an account. @param em a transaction */
export async function recordUse(
  em: EntityManager,
  log: Log,
  use: Use,
  account: { id: string; email: string },
  from: RequestOrigin,
): Promise<void> {
  await writeAuditEntry(em, use, account, from)
  const { address, requestId } = from
  log.info(
    { use, accountId: account.id, address, requestId },
    use === 'failedSignIn' ? 'A sign-in failed' : 'An account was used',
  )
}
