import type { EntityManager } from '../platform/db/orm.ts'
import { Account } from './entities.ts'
import { assertPresent } from './assert-present.ts'
import { assertGoodPassword, type Passwords } from '../platform/passwords.ts'
import { endAllSessions } from './sessions.ts'
import { assertPasswordStill, type From } from './sign-in.ts'
import { tell } from './tell.ts'

/**
 * Changes a password, or sets the first, and ends all other sessions of the account, and the links that it has made: who has stolen one is out.
 *
 * @throws {Refusal} `wrong_credentials` where the present one is another; `weak_password`; `sign_in_again`; `too_many_guesses`
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
): Promise<void> {
  const account = await assertPresent(em, passwords, { accountId, sessionId, present })
  assertGoodPassword(password, account.email)
  const passwordHash = await passwords.hash(password)
  await em.fork().transactional(async (unit) => {
    await assertPasswordStill(unit, account)
    await unit.nativeUpdate(Account, { id: accountId }, { passwordHash })
    await endAllSessions(unit, accountId, sessionId)
    await tell(unit, 'changePassword', account, from)
  })
}
