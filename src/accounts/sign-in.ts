import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey } from '../platform/email-address.ts'
import { ApiError } from '../platform/api-error.ts'
import { Account } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import type { Passwords } from '../platform/passwords.ts'
import { WRONG_CREDENTIALS } from './errors.ts'
import { beginSession } from './sessions.ts'
import { limitSignInAttempts, type RequestOrigin } from './rate-limits.ts'
import { recordUse } from './write-audit-entry.ts'

/**
 * Asserts that the password did not change while it was being checked, which takes long. Locks the account, so that it stays
 * unchanged.
 * @throws {ApiError} `wrong_credentials`
 */
export async function assertPasswordUnchanged(
  transaction: EntityManager,
  { id, passwordHash }: Pick<Account, 'id' | 'passwordHash'>,
): Promise<void> {
  const now = await lockAccount(transaction, id)
  if (!now || now.passwordHash !== passwordHash) throw new ApiError(WRONG_CREDENTIALS)
}

/**
 * Signs in by password. Neither the error nor the response time reveals whether the account exists: writing the audit entry of a
 * failure takes little beside checking the password.
 *
 * @returns the cookie value of the session
 * @throws {ApiError} `wrong_credentials`; `too_many_attempts`
 */
export async function signIn(
  { em, passwords, log }: { em: EntityManager; passwords: Passwords; log: Log },
  { email, password }: { email: string; password: string },
  from: RequestOrigin,
): Promise<string> {
  const key = emailKey(email.trim())
  await limitSignInAttempts(em, key, from)
  const account = await em.fork().findOne(Account, { emailKey: key })
  if (!(await passwords.check(password, account?.passwordHash ?? null))) {
    if (account) await em.fork().transactional((unit) => recordUse(unit, log, 'failedSignIn', account, from))
    throw new ApiError(WRONG_CREDENTIALS)
  }
  return em.fork().transactional(async (unit) => {
    await assertPasswordUnchanged(unit, account!)
    await recordUse(unit, log, 'signIn', account!, from)
    return beginSession(unit, account!.id, from.userAgent)
  })
}
