import { LockMode } from '@mikro-orm/core'
import { networkOf, siteOf } from '../platform/address-ranges.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey } from '../platform/email-address.ts'
import { Refusal } from '../platform/refusal.ts'
import { Account } from './entities.ts'
import type { Passwords } from '../platform/passwords.ts'
import { countGuess } from './queries.ts'
import { TOO_MANY_GUESSES, WRONG_CREDENTIALS } from './refusals.ts'
import { beginSession } from './sessions.ts'

/** Tries in any 60 seconds: of an address, and of an account, whoever makes them. */
const OF_AN_ADDRESS = 10
const OF_AN_ACCOUNT = 30
/** Of a customer with many networks: of IPv6 the first 48 bits. */
const OF_A_SITE = 60

/** Where somebody is who signs in. */
export interface From {
  requestId?: string | null | undefined
  address: string | null
  userAgent: string | undefined
}

/**
 * Checking a password takes long: that it was not changed meanwhile. Until the end of the transaction nobody changes it.
 * @throws {Refusal} `wrong_credentials`
 */
export async function assertPasswordStill(
  transaction: EntityManager,
  { id, passwordHash }: Pick<Account, 'id' | 'passwordHash'>,
): Promise<void> {
  const now = await transaction.findOne(Account, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  if (!now || now.passwordHash !== passwordHash) throw new Refusal(WRONG_CREDENTIALS)
}

/** What is begun without a password has a window of its own: nobody is kept from theirs by it. @throws {Refusal} `too_many_guesses` */
export const assertFewBeginnings = (em: EntityManager, from: From): Promise<void> =>
  assertWithin(em, [
    [`begin ${from.address === null ? 'unknown' : networkOf(from.address)}`, OF_AN_ADDRESS],
    ...(from.address?.includes(':') ? [[`begin site ${siteOf(from.address)}`, OF_A_SITE] as [string, number]] : []),
  ])

/** Who is signed in, and says so by the password: whoever tries to sign in as them does not count. @throws {Refusal} `too_many_guesses` */
export const assertFewProofs = (em: EntityManager, accountId: string): Promise<void> =>
  assertWithin(em, [[`present ${accountId}`, OF_AN_ADDRESS]])

/** @param key of the account @throws {Refusal} `too_many_guesses` */
export async function assertFewGuesses(em: EntityManager, key: string, { address }: From): Promise<void> {
  const subjects: [string, number][] = [
    [`address ${address === null ? 'unknown' : networkOf(address)}`, OF_AN_ADDRESS],
    ...(address?.includes(':') ? [[`site ${siteOf(address)}`, OF_A_SITE] as [string, number]] : []),
    [`account ${key}`, OF_AN_ACCOUNT],
  ]
  await assertWithin(em, subjects)
}

async function assertWithin(em: EntityManager, subjects: readonly [string, number][]): Promise<void> {
  for (const [subject, limit] of subjects) {
    const { allowed, retryAfter } = await countGuess(em.fork(), subject, limit)
    if (allowed) continue
    const message = `Too many tries to sign in. Retry after ${retryAfter} seconds.`
    throw new Refusal(TOO_MANY_GUESSES, { message, retryAfter })
  }
}

/**
 * Signs somebody in by a password. Whether there is such an account is told neither in words nor by the time it takes.
 *
 * @returns what the session's cookie holds.
 * @throws {Refusal} `wrong_credentials`; `too_many_guesses`
 */
export async function signIn(
  em: EntityManager,
  passwords: Passwords,
  { email, password }: { email: string; password: string },
  from: From,
): Promise<string> {
  const key = emailKey(email.trim())
  await assertFewGuesses(em, key, from)
  const account = await em.fork().findOne(Account, { emailKey: key })
  if (!(await passwords.check(password, account?.passwordHash ?? null))) throw new Refusal(WRONG_CREDENTIALS)
  return em.fork().transactional(async (unit) => {
    await assertPasswordStill(unit, account!)
    return beginSession(unit, account!.id, from.userAgent)
  })
}
