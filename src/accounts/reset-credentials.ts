import type { EntityManager } from '../platform/db/orm.ts'
import { Account, Identity, Passkey } from './entities.ts'
import { endAllSessions } from './sessions.ts'

/**
 * Revokes all credentials and sessions of an account, because the owner of the email address is verified only now: another person
 * could have created the account.
 *
 * @param passwordHash new hash, or `null` for an account without a password
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
