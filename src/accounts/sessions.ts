import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { unitOf } from '../platform/db/sql.ts'
import { Account, Challenge, Invitation, Session } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import { IDLE_MS } from './queries.ts'
import { hashToken, newToken } from './tokens.ts'

const MOST_OF_USER_AGENT = 300

/** Begins a session. @returns what its cookie holds. */
export async function beginSession(
  em: EntityManager,
  accountId: string,
  userAgent: string | undefined,
): Promise<string> {
  const token = newToken()
  const unit = unitOf(em)
  unit.create(Session, {
    account: unit.getReference(Account, accountId),
    tokenHash: hashToken(token)!,
    userAgent: userAgent?.slice(0, MOST_OF_USER_AGENT) ?? null,
    expiresAt: new Date(Date.now() + IDLE_MS),
  })
  await unit.flush()
  return token
}

/** An account's sessions, newest first. */
export const listSessions = (em: EntityManager, accountId: string): Promise<Session[]> =>
  em.fork().find(Session, { account: accountId, expiresAt: { $gt: new Date() } }, { orderBy: { id: 'desc' } })

/** Ends a session of an account. @returns whether there was one. */
export const endSession = async (em: EntityManager, accountId: string, sessionId: string): Promise<boolean> =>
  isId(sessionId) && (await unitOf(em).nativeDelete(Session, { id: sessionId, account: accountId })) > 0

/** Ends all sessions of an account, wherever they are, and the links and whatever else it has begun: all of it, or nothing. */
export const endAllSessions = (em: EntityManager, accountId: string): Promise<void> =>
  unitOf(em).transactional(async (unit) => {
    await lockAccount(unit, accountId)
    // First: what a session still does is done before it ends, and ends with it.
    await unit.nativeDelete(Session, { account: accountId })
    await unit.nativeDelete(Invitation, { invitedBy: accountId })
    await unit.nativeDelete(Challenge, { account: accountId })
  })
