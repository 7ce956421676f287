import { networkOf, siteOf } from '../platform/address-ranges.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type ErrorDefinition, ApiError } from '../platform/api-error.ts'
import { countAttempt } from './queries.ts'
import { TOO_MANY_ATTEMPTS, TOO_MANY_TEST_EMAILS } from './errors.ts'

/** Tries in any 60 seconds: of an address, and of an account, whoever makes them. */
const OF_AN_ADDRESS = 10
const OF_AN_ACCOUNT = 30
/** Of a customer with many networks: of IPv6 the first 48 bits. */
const OF_A_SITE = 60
/** Of a session whose owner says so by the password, and of all that the account has: to check one takes the processor long. */
const OF_PROOFS = 10
const OF_ALL_PROOFS = 60
/** Of an account: nobody has proven that its address is theirs. */
const OF_TEST_EMAILS = 10

/** Where somebody is who signs in. */
export interface From {
  requestId?: string | null | undefined
  address: string | null
  userAgent: string | undefined
}

/** What is counted, and how much of it may be. */
type Window = readonly [subject: string, limit: number]

/** @throws {ApiError} the reason, with when the window opens again */
async function assertWithin(
  em: EntityManager,
  windows: readonly Window[],
  because: ErrorDefinition,
  inWords: string,
): Promise<void> {
  for (const [subject, limit] of windows) {
    const { allowed, retryAfter } = await countAttempt(em.fork(), subject, limit)
    if (!allowed) throw new ApiError(because, { message: `${inWords}. Retry after ${retryAfter} seconds.`, retryAfter })
  }
}

const assertFewTries = (em: EntityManager, windows: readonly Window[]): Promise<void> =>
  assertWithin(em, windows, TOO_MANY_ATTEMPTS, 'Too many tries to sign in')

/** Those of where somebody is. @param of what they do, which is counted by itself */
const placesOf = ({ address }: From, of = ''): Window[] => [
  [`${of}address ${address === null ? 'unknown' : networkOf(address)}`, OF_AN_ADDRESS],
  ...(address?.includes(':') ? [[`${of}site ${siteOf(address)}`, OF_A_SITE] as const] : []),
]

/** @param key of the account @throws {ApiError} `too_many_attempts` */
export const limitSignInAttempts = (em: EntityManager, key: string, from: From): Promise<void> =>
  assertFewTries(em, [...placesOf(from), [`account ${key}`, OF_AN_ACCOUNT]])

/** What is begun without a password has a window of its own: nobody is kept from theirs by it. @throws {ApiError} `too_many_attempts` */
export const limitSignInStarts = (em: EntityManager, from: From): Promise<void> =>
  assertFewTries(em, placesOf(from, 'begin '))

/** Of a session first: one that was stolen uses up little of what its account has. @throws {ApiError} `too_many_attempts` */
export const limitPasswordChecks = (
  em: EntityManager,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<void> =>
  assertFewTries(em, [
    [`present ${sessionId}`, OF_PROOFS],
    [`present of ${accountId}`, OF_ALL_PROOFS],
  ])

/** @throws {ApiError} `too_many_test_emails` */
export const limitTestEmails = (em: EntityManager, accountId: string): Promise<void> =>
  assertWithin(
    em,
    [[`test email ${accountId}`, OF_TEST_EMAILS]],
    TOO_MANY_TEST_EMAILS,
    'Ten test emails a minute are enough to look at',
  )
