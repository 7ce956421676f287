import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { Account, Challenge } from './entities.ts'
import { useChallenge } from './queries.ts'
import { hashToken, newToken } from './tokens.ts'

/** Lifetime of a challenge, unless its flow has another one. */
const LIFE_MS = 10 * 60_000

type Purpose = Challenge['purpose']

/** Stores a challenge. @returns the token that must be presented to complete it */
export async function beginChallenge(
  em: EntityManager,
  purpose: Purpose,
  {
    accountId,
    data = {},
    lifeMs = LIFE_MS,
  }: { accountId?: string; data?: Record<string, string>; lifeMs?: number } = {},
): Promise<string> {
  const token = newToken()
  const unit = unitOf(em)
  unit.create(Challenge, {
    tokenHash: hashToken(token)!,
    purpose,
    account: accountId === undefined ? null : unit.getReference(Account, accountId),
    data,
    expiresAt: new Date(Date.now() + lifeMs),
  })
  await unit.flush()
  return token
}

/** Consumes a challenge, once. @param accountId its account, if it has one @returns its data, or `undefined` if there is none */
export async function takeChallenge(
  em: EntityManager,
  purpose: Purpose,
  token: string,
  accountId?: string,
): Promise<Record<string, string> | undefined> {
  const tokenHash = hashToken(token)
  return tokenHash === null ? undefined : useChallenge(em, purpose, tokenHash, accountId)
}
