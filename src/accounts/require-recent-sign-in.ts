import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import type { Passwords } from '../platform/passwords.ts'
import { ApiError } from '../platform/api-error.ts'
import { Account, Session } from './entities.ts'
import { RECENT_SIGN_IN_REQUIRED } from '../http/index.ts'
import { WRONG_CREDENTIALS } from './errors.ts'
import { limitPasswordChecks } from './rate-limits.ts'

/** Maximum age of a sign-in for sensitive changes. */
const RECENT_MS = 10 * 60_000

/**
 * Authenticates the user again, to protect against unattended browsers and stolen cookies: by password or, if the account has
 * none, by a recent sign-in.
 *
 * @returns the account
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
    throw new ApiError(WRONG_CREDENTIALS, { message: 'The current password is wrong', param: '/currentPassword' })
  return account
}

/** Requires that a session started recently. @throws {ApiError} `sign_in_again` */
export async function requireRecentSignIn(em: EntityManager, sessionId: string): Promise<void> {
  const session = await unitOf(em).findOne(Session, sessionId)
  if (!session || Date.now() - session.createdAt.getTime() > RECENT_MS) throw new ApiError(RECENT_SIGN_IN_REQUIRED)
}
