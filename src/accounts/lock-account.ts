import type { EntityManager } from '../platform/db/orm.ts'
import { Account } from './entities.ts'
import { lockAccountRow } from './queries.ts'

/**
 * Locks an account until the end of the transaction, so that its credentials and sessions do not change.
 *
 * @returns `null` if it was deleted
 */
export async function lockAccount(transaction: EntityManager, accountId: string): Promise<Account | null> {
  await lockAccountRow(transaction, accountId)
  return transaction.findOne(Account, { id: accountId }, { refresh: true })
}
