import type { EntityManager } from '../platform/db/orm.ts'
import { Account, Identity, Passkey } from './entities.ts'
import { endAllSessions } from './sessions.ts'

/**
 * Ends all that could sign in to an account, because it is proven now whose it is, and was not before: anybody could have made it by
 * that email.
 *
 * @param passwordHash the new one; `null`: none
 */
export async function resetCredentials(
  transaction: EntityManager,
  accountId: string,
  passwordHash: string | null,
): Promise<void> {
  await transaction.nativeUpdate(Account, { id: accountId }, { passwordHash })
  await transaction.nativeDelete(Passkey, { account: accountId })
  await transaction.nativeDelete(Identity, { account: accountId })
  await endAllSessions(transaction, accountId)
}
