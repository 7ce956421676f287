import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import type { Passwords } from '../platform/passwords.ts'
import { ApiError } from '../platform/api-error.ts'
import { Account, Session } from './entities.ts'
import { SIGN_IN_AGAIN, WRONG_CREDENTIALS } from './errors.ts'
import { limitPasswordChecks } from './rate-limits.ts'

/** How long signing in says who sits there, in milliseconds. */
const FRESH_MS = 10 * 60_000

/**
 * That whoever asks is who signed in, and nobody at a browser that was left, or with a cookie that was stolen: by the password, or,
 * where the account has none, by having signed in just now.
 *
 * @returns the account.
 * @throws {ApiError} `wrong_credentials`; `sign_in_again`; `too_many_attempts`
 */
export async function reauthenticate(
  em: EntityManager,
  passwords: Passwords,
  { accountId, sessionId, present }: { accountId: string; sessionId: string; present: string | undefined },
): Promise<Account> {
  const unit = em.fork()
  const account = await unit.findOneOrFail(Account, accountId)
  await limitPasswordChecks(em, { accountId, sessionId })
  if (account.passwordHash == null) {
    await requireRecentSignIn(unit, sessionId)
    return account
  }
  if (!(await passwords.check(present ?? '', account.passwordHash)))
    throw new ApiError(WRONG_CREDENTIALS, { message: 'The present password is wrong', param: '/presentPassword' })
  return account
}

/** That a session has begun just now. @throws {ApiError} `sign_in_again` */
export async function requireRecentSignIn(em: EntityManager, sessionId: string): Promise<void> {
  const session = await unitOf(em).findOne(Session, sessionId)
  if (!session || Date.now() - session.createdAt.getTime() > FRESH_MS) throw new ApiError(SIGN_IN_AGAIN)
}
