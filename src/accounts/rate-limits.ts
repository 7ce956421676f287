import { networkOf, siteOf } from '../platform/address-ranges.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type ErrorDefinition, ApiError } from '../platform/api-error.ts'
import { countAttempt } from './queries.ts'
import { TOO_MANY_ATTEMPTS, TOO_MANY_TEST_EMAILS } from './errors.ts'

/** Maximum sign-in attempts per minute: of an IP address, and of an account from any address. */
const MAX_PER_ADDRESS = 10
const MAX_PER_ACCOUNT = 30
/** The same for the first 48 bits of IPv6, because one customer can have many /64 networks. */
const MAX_PER_SITE = 60
/** Maximum password checks of a session, and of all sessions of the account. A check is expensive. */
const MAX_PASSWORD_CHECKS_PER_SESSION = 10
const MAX_PASSWORD_CHECKS_PER_ACCOUNT = 60
/** Maximum test emails per account, because its address is not verified. */
const MAX_TEST_EMAILS = 10

/** Origin of a request. */
export interface RequestOrigin {
  requestId?: string | null | undefined
  address: string | null
  userAgent: string | undefined
}

/** The subject of a limit, and its maximum. */
type Window = readonly [subject: string, limit: number]

/** Counts an attempt. @throws {ApiError} `error` with the seconds to wait, if a limit is exceeded */
async function assertWithin(
  em: EntityManager,
  windows: readonly Window[],
  error: ErrorDefinition,
  message: string,
): Promise<void> {
  for (const [subject, limit] of windows) {
    const { allowed, retryAfter } = await countAttempt(em.fork(), subject, limit)
    if (!allowed) throw new ApiError(error, { message: `${message}. Retry after ${retryAfter} seconds.`, retryAfter })
  }
}

const limitAttempts = (em: EntityManager, windows: readonly Window[]): Promise<void> =>
  assertWithin(em, windows, TOO_MANY_ATTEMPTS, 'Too many sign-in attempts')

/** Lists the limits of an IP address. @param of prefix of a separate limit */
const addressLimits = ({ address }: RequestOrigin, of = ''): Window[] => [
  [`${of}address ${address === null ? 'unknown' : networkOf(address)}`, MAX_PER_ADDRESS],
  ...(address?.includes(':') ? [[`${of}site ${siteOf(address)}`, MAX_PER_SITE] as const] : []),
]

/** @param key email key of the account @throws {ApiError} `too_many_attempts` */
export const limitSignInAttempts = (em: EntityManager, key: string, from: RequestOrigin): Promise<void> =>
  limitAttempts(em, [...addressLimits(from), [`account ${key}`, MAX_PER_ACCOUNT]])

/**
 * Limits flows without a password separately, so that they cannot exhaust the limit of password sign-ins.
 *
 * @throws {ApiError} `too_many_attempts`
 */
export const limitSignInStarts = (em: EntityManager, from: RequestOrigin): Promise<void> =>
  limitAttempts(em, addressLimits(from, 'begin '))

/**
 * Checks the session's limit first, so that a stolen session can use up only little of the account's limit.
 *
 * @throws {ApiError} `too_many_attempts`
 */
export const limitPasswordChecks = (
  em: EntityManager,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<void> =>
  limitAttempts(em, [
    [`present ${sessionId}`, MAX_PASSWORD_CHECKS_PER_SESSION],
    [`present of ${accountId}`, MAX_PASSWORD_CHECKS_PER_ACCOUNT],
  ])

/** @throws {ApiError} `too_many_test_emails` */
export const limitTestEmails = (em: EntityManager, accountId: string): Promise<void> =>
  assertWithin(em, [[`test email ${accountId}`, MAX_TEST_EMAILS]], TOO_MANY_TEST_EMAILS, 'Too many test emails')

/** Maximum invitations per minute that an account emails, because their addresses are not verified. */
const MAX_INVITATION_EMAILS = 10

/** Returns whether an account may email another invitation. It can still copy the link. */
export const mayMailInvitation = async (em: EntityManager, accountId: string): Promise<boolean> =>
  (await countAttempt(em.fork(), `invitation email ${accountId}`, MAX_INVITATION_EMAILS)).allowed
