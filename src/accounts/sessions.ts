import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { unitOf } from '../platform/db/sql.ts'
import { ApiError } from '../platform/api-error.ts'
import { requireRecentSignIn } from './require-recent-sign-in.ts'
import { Account, Challenge, Invitation, Session } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import { endOtherSessions, SESSION_IDLE_MS } from './queries.ts'
import { SESSION_NOT_FOUND } from './errors.ts'
import { recordUse } from './write-audit-entry.ts'
import { hashToken, newToken } from './tokens.ts'
import type { RequestOrigin } from './rate-limits.ts'

/** A signed-in account and its session. */
interface Who {
  account: { id: string; email: string }
  sessionId: string
}

interface Services {
  em: EntityManager
  log: Log
}

const MAX_USER_AGENT_LENGTH = 300
/** Maximum sessions per account, because each has its own rate limit. */
const MAX_SESSIONS = 30

/** Starts a session. Ends the least recently used one if there are too many. @returns its cookie value */
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
    userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    expiresAt: new Date(Date.now() + SESSION_IDLE_MS),
  })
  await unit.flush()
  await endOtherSessions(unit, accountId, MAX_SESSIONS)
  return token
}

/** Lists the sessions of an account, newest first. */
export const listSessions = (em: EntityManager, accountId: string): Promise<Session[]> =>
  em.fork().find(Session, { account: accountId, expiresAt: { $gt: new Date() } }, { orderBy: { id: 'desc' } })

/** Ends the current session. */
export const signOut = ({ em, log }: Services, { account, sessionId }: Who, from: RequestOrigin): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await unit.nativeDelete(Session, { id: sessionId, account: account.id })
    await recordUse(unit, log, 'signOut', account, from)
  })

/**
 * Ends a session of an account. Ending another session requires a recent sign-in, so that a stolen session cannot lock out the
 * owner.
 *
 * @throws {ApiError} `session_not_found`; `sign_in_again`
 */
export const endSession = ({ em, log }: Services, who: Who, id: string, from: RequestOrigin): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await lockAccount(unit, who.account.id)
    if (id !== who.sessionId) await requireRecentSignIn(unit, who.sessionId)
    const ended = isId(id) ? await unit.nativeDelete(Session, { id, account: who.account.id }) : 0
    if (ended === 0) throw new ApiError(SESSION_NOT_FOUND)
    await recordUse(unit, log, 'endSession', who.account, from)
  })

/** Ends all sessions of an account. */
export const signOutEverywhere = ({ em, log }: Services, { account }: Who, from: RequestOrigin): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await lockAccount(unit, account.id)
    await endAllSessions(unit, account.id)
    // Its invitations also end.
    await recordUse(unit, log, 'endAllSessions', account, from)
  })

/** Ends all sessions, invitations and challenges of an account, in one transaction. */
export const endAllSessions = (em: EntityManager, accountId: string): Promise<void> =>
  unitOf(em).transactional(async (unit) => {
    await lockAccount(unit, accountId)
    // Delete the sessions first, so that this waits for their requests and then deletes everything that they created.
    await unit.nativeDelete(Session, { account: accountId })
    await unit.nativeDelete(Invitation, { invitedBy: accountId })
    await unit.nativeDelete(Challenge, { account: accountId })
  })
