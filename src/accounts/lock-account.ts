import type { EntityManager } from '../platform/db/orm.ts'
import { Account } from './entities.ts'
import { lockAccountRow } from './queries.ts'

/** Until the end of the transaction nothing that signs in to it is ended or added. @returns `null` where it is not there any more */
export async function lockAccount(transaction: EntityManager, accountId: string): Promise<Account | null> {
  await lockAccountRow(transaction, accountId)
  return transaction.findOne(Account, { id: accountId }, { refresh: true })
}
