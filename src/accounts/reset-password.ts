import { enqueuePasswordReset, enqueueResetDone, type Log } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey } from '../platform/email-address.ts'
import { idOfValues } from '../platform/ids.ts'
import { assertGoodPassword, type Passwords } from '../platform/passwords.ts'
import { beginChallenge, takeChallenge } from './challenges.ts'
import { Account, Challenge } from './entities.ts'
import { PASSWORD_RESET_NOT_FOUND } from './errors.ts'
import { lockAccount } from './lock-account.ts'
import { limitSignInStarts, type RequestOrigin } from './rate-limits.ts'
import { resetCredentials } from './reset-credentials.ts'
import { beginSession } from './sessions.ts'
import { hashToken } from './tokens.ts'
import { recordUse } from './write-audit-entry.ts'

const PURPOSE = 'reset-password'
/** Lifetime of a link. */
const LIFE_MS = 60 * 60_000
/** Maximum number of valid links, and therefore of emails per hour, of an account. */
const MAX_LINKS = 3

/**
 * Requests an email with a link that resets the password of an account. A worker decides whether to send it, so that the response
 * and its time do not depend on whether the address has an account.
 *
 * @throws {ApiError} `too_many_attempts`
 */
export async function requestPasswordReset(em: EntityManager, email: string, from: RequestOrigin): Promise<void> {
  await limitSignInStarts(em, from)
  const key = emailKey(email.trim())
  const account = await em.fork().findOne(Account, { emailKey: key })
  await enqueuePasswordReset(em.fork(), account?.id ?? idOfValues('no account', key))
}

/**
 * Creates a link of an account. None for an account without a password: it signs in at another service, which protects it.
 * @returns the address and the token; `undefined` if no email may be sent
 */
export async function createPasswordReset(
  em: EntityManager,
  accountId: string,
): Promise<{ email: string; token: string } | undefined> {
  const unit = em.fork()
  const account = await unit.findOne(Account, { id: accountId, passwordHash: { $ne: null } })
  const isOpen = { account: accountId, purpose: PURPOSE, expiresAt: { $gt: new Date() } } as const
  if (!account || (await unit.count(Challenge, isOpen)) >= MAX_LINKS) return undefined
  return { email: account.email, token: await beginChallenge(unit, PURPOSE, { accountId, lifeMs: LIFE_MS }) }
}

/** Makes a link invalid that was not sent. */
export const discardPasswordReset = async (em: EntityManager, accountId: string, token: string): Promise<void> =>
  void (await takeChallenge(em, PURPOSE, token, accountId))

/** Returns the URL of a link. Browsers do not send the part after #, so the token stays out of logs. */
export const passwordResetUrl = (publicUrl: string, token: string): string => `${publicUrl}/reset-password#${token}`

/**
 * Sets the password of an account with a link from an email, once. Ends its sessions, invitations and passkeys, like a reset by an
 * operator, and signs in.
 *
 * @returns the cookie value of the new session
 * @throws {ApiError} `password_reset_not_found`; `weak_password`; `too_many_attempts`
 */
export async function resetPassword(
  { em, passwords, log }: { em: EntityManager; passwords: Passwords; log: Log },
  { token, password }: { token: string; password: string },
  from: RequestOrigin,
): Promise<string> {
  // Hashing a password is expensive.
  await limitSignInStarts(em, from)
  const notFound = new ApiError(PASSWORD_RESET_NOT_FOUND, { param: '/token' })
  const open = {
    tokenHash: hashToken(token) ?? Buffer.alloc(0),
    purpose: PURPOSE,
    expiresAt: { $gt: new Date() },
  } as const
  const account = (await em.fork().findOne(Challenge, open, { populate: ['account'] }))?.account
  if (!account) throw notFound
  assertGoodPassword(password, account.email)
  const passwordHash = await passwords.hash(password)
  return em.fork().transactional(async (unit) => {
    const locked = await lockAccount(unit, account.id)
    // Of concurrent requests with one link, the first one deletes it. Since then, the account may have moved to single sign-on.
    if (!(await takeChallenge(unit, PURPOSE, token, account.id)) || locked?.passwordHash === null) throw notFound
    await resetCredentials(unit, account.id, passwordHash)
    await recordUse(unit, log, 'resetPassword', account, from)
    await enqueueResetDone(unit, account.id)
    return beginSession(unit, account.id, from.userAgent)
  })
}
