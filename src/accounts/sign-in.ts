import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey } from '../platform/email-address.ts'
import { ApiError } from '../platform/api-error.ts'
import { Account } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import type { Passwords } from '../platform/passwords.ts'
import { WRONG_CREDENTIALS } from './errors.ts'
import { beginSession } from './sessions.ts'
import { limitSignInAttempts, type From } from './rate-limits.ts'

/**
 * Checking a password takes long: that it was not changed meanwhile. Until the end of the transaction nobody changes it.
 * @throws {ApiError} `wrong_credentials`
 */
export async function assertPasswordStill(
  transaction: EntityManager,
  { id, passwordHash }: Pick<Account, 'id' | 'passwordHash'>,
): Promise<void> {
  const now = await lockAccount(transaction, id)
  if (!now || now.passwordHash !== passwordHash) throw new ApiError(WRONG_CREDENTIALS)
}

/**
 * Signs somebody in by a password. Whether there is such an account is told neither in words nor by the time it takes.
 *
 * @returns what the session's cookie holds.
 * @throws {ApiError} `wrong_credentials`; `too_many_attempts`
 */
export async function signIn(
  em: EntityManager,
  passwords: Passwords,
  { email, password }: { email: string; password: string },
  from: From,
): Promise<string> {
  const key = emailKey(email.trim())
  await limitSignInAttempts(em, key, from)
  const account = await em.fork().findOne(Account, { emailKey: key })
  if (!(await passwords.check(password, account?.passwordHash ?? null))) throw new ApiError(WRONG_CREDENTIALS)
  return em.fork().transactional(async (unit) => {
    await assertPasswordStill(unit, account!)
    return beginSession(unit, account!.id, from.userAgent)
  })
}
