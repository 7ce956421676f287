import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { unitOf } from '../platform/db/sql.ts'
import { ApiError } from '../platform/api-error.ts'
import { requireRecentSignIn } from './require-recent-sign-in.ts'
import { Account, Challenge, Invitation, Session } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import { endOtherSessions, IDLE_MS } from './queries.ts'
import { SESSION_NOT_FOUND } from './errors.ts'
import { writeAuditEntry } from './write-audit-entry.ts'
import { hashToken, newToken } from './tokens.ts'
import type { From } from './rate-limits.ts'

/** Somebody who is signed in. */
interface Who {
  account: { id: string; email: string }
  sessionId: string
}

const MAX_OF_USER_AGENT = 300
/** Of one account: each has a window of requests of its own. */
const MAX_SESSIONS = 30

/** Begins a session, in place of the one that was used longest ago where there are too many. @returns what its cookie holds. */
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
    userAgent: userAgent?.slice(0, MAX_OF_USER_AGENT) ?? null,
    expiresAt: new Date(Date.now() + IDLE_MS),
  })
  await unit.flush()
  await endOtherSessions(unit, accountId, MAX_SESSIONS)
  return token
}

/** An account's sessions, newest first. */
export const listSessions = (em: EntityManager, accountId: string): Promise<Session[]> =>
  em.fork().find(Session, { account: accountId, expiresAt: { $gt: new Date() } }, { orderBy: { id: 'desc' } })

/** Ends the session that somebody has. */
export const signOut = async (em: EntityManager, { account, sessionId }: Who): Promise<void> =>
  void (await unitOf(em).nativeDelete(Session, { id: sessionId, account: account.id }))

/**
 * Ends a session of an account: another one only by one that has begun just now, because whoever has stolen one that goes on for
 * weeks would keep everybody else out.
 *
 * @throws {ApiError} `session_not_found`; `sign_in_again`
 */
export const endSession = (em: EntityManager, who: Who, id: string): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await lockAccount(unit, who.account.id)
    if (id !== who.sessionId) await requireRecentSignIn(unit, who.sessionId)
    const ended = isId(id) ? await unit.nativeDelete(Session, { id, account: who.account.id }) : 0
    if (ended === 0) throw new ApiError(SESSION_NOT_FOUND)
  })

/** Ends all sessions of an account, and writes an audit entry. */
export const signOutEverywhere = (em: EntityManager, { account }: Who, from: From): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await lockAccount(unit, account.id)
    await endAllSessions(unit, account.id)
    // The links that it has made end, too.
    await writeAuditEntry(unit, 'endAllSessions', account, from)
  })

/** Ends all sessions of an account, wherever they are, and the links and whatever else it has begun: all of it, or nothing. */
export const endAllSessions = (em: EntityManager, accountId: string): Promise<void> =>
  unitOf(em).transactional(async (unit) => {
    await lockAccount(unit, accountId)
    // First: what a session still does is done before it ends, and ends with it.
    await unit.nativeDelete(Session, { account: accountId })
    await unit.nativeDelete(Invitation, { invitedBy: accountId })
    await unit.nativeDelete(Challenge, { account: accountId })
  })
