import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import type { Passwords } from '../platform/passwords.ts'
import { Refusal } from '../platform/refusal.ts'
import { Account, Session } from './entities.ts'
import { SIGN_IN_AGAIN, WRONG_CREDENTIALS } from './refusals.ts'
import { assertFewProofs } from './windows.ts'

/** How long signing in says who sits there, in milliseconds. */
const FRESH_MS = 10 * 60_000

/**
 * That whoever asks is who signed in, and nobody at a browser that was left, or with a cookie that was stolen: by the password, or,
 * where the account has none, by having signed in just now.
 *
 * @returns the account.
 * @throws {Refusal} `wrong_credentials`; `sign_in_again`; `too_many_guesses`
 */
export async function assertPresent(
  em: EntityManager,
  passwords: Passwords,
  { accountId, sessionId, present }: { accountId: string; sessionId: string; present: string | undefined },
): Promise<Account> {
  const unit = em.fork()
  const account = await unit.findOneOrFail(Account, accountId)
  await assertFewProofs(em, { accountId, sessionId })
  if (account.passwordHash == null) {
    await assertSignedInLately(unit, sessionId)
    return account
  }
  if (!(await passwords.check(present ?? '', account.passwordHash)))
    throw new Refusal(WRONG_CREDENTIALS, { message: 'The present password is wrong', param: '/presentPassword' })
  return account
}

/** That a session has begun just now. @throws {Refusal} `sign_in_again` */
export async function assertSignedInLately(em: EntityManager, sessionId: string): Promise<void> {
  const session = await unitOf(em).findOne(Session, sessionId)
  if (!session || Date.now() - session.createdAt.getTime() > FRESH_MS) throw new Refusal(SIGN_IN_AGAIN)
}
