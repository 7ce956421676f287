import type { EntityManager } from '../platform/db/orm.ts'
import { Account } from './entities.ts'
import { reauthenticate } from './require-recent-sign-in.ts'
import { assertGoodPassword, type Passwords } from '../platform/passwords.ts'
import { beginSession, endAllSessions } from './sessions.ts'
import { assertPasswordStill } from './sign-in.ts'
import { writeAuditEntry } from './write-audit-entry.ts'
import type { From } from './rate-limits.ts'

/**
 * Changes a password, or sets the first, and ends all sessions of the account, and the links that it has made: who has stolen one is out,
 * also where it is the very one by which it is changed. @returns what the cookie of the new session holds.
 *
 * @throws {ApiError} `wrong_credentials` where the present one is another; `weak_password`; `sign_in_again`; `too_many_attempts`
 */
export async function changePassword(
  em: EntityManager,
  passwords: Passwords,
  {
    accountId,
    sessionId,
    present,
    password,
  }: { accountId: string; sessionId: string; present: string | undefined; password: string },
  from: From,
): Promise<string> {
  const account = await reauthenticate(em, passwords, { accountId, sessionId, present })
  assertGoodPassword(password, account.email)
  const passwordHash = await passwords.hash(password)
  return em.fork().transactional(async (unit) => {
    await assertPasswordStill(unit, account)
    await unit.nativeUpdate(Account, { id: accountId }, { passwordHash })
    await endAllSessions(unit, accountId)
    await writeAuditEntry(unit, 'changePassword', account, from)
    return beginSession(unit, accountId, from.userAgent)
  })
}
