import type { EntityManager } from '../platform/db/orm.ts'
import { Account } from './entities.ts'
import { reauthenticate } from './require-recent-sign-in.ts'
import { assertGoodPassword, type Passwords } from '../platform/passwords.ts'
import { beginSession, endAllSessions } from './sessions.ts'
import { assertPasswordUnchanged } from './sign-in.ts'
import { writeAuditEntry } from './write-audit-entry.ts'
import type { RequestOrigin } from './rate-limits.ts'

/**
 * Changes a password or sets the first one. Ends all sessions of the account, including the current one, and its invitations, so
 * that a stolen session is useless.
 *
 * @returns the cookie value of the new session
 * @throws {ApiError} `wrong_credentials` if the current password is wrong; `weak_password`; `sign_in_again`; `too_many_attempts`
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
  from: RequestOrigin,
): Promise<string> {
  const account = await reauthenticate(em, passwords, { accountId, sessionId, present })
  assertGoodPassword(password, account.email)
  const passwordHash = await passwords.hash(password)
  return em.fork().transactional(async (unit) => {
    await assertPasswordUnchanged(unit, account)
    await unit.nativeUpdate(Account, { id: accountId }, { passwordHash })
    await endAllSessions(unit, accountId)
    await writeAuditEntry(unit, 'changePassword', account, from)
    return beginSession(unit, accountId, from.userAgent)
  })
}
