import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { Account, Challenge } from './entities.ts'
import { useChallenge } from './queries.ts'
import { hashToken, newToken } from './tokens.ts'

/** How long somebody has to come back, in milliseconds. */
const LIFE_MS = 10 * 60_000

type Purpose = Challenge['purpose']

/** Keeps what somebody has begun. @returns what they come back with. */
export async function beginChallenge(
  em: EntityManager,
  purpose: Purpose,
  { accountId, data = {} }: { accountId?: string; data?: Record<string, string> } = {},
): Promise<string> {
  const token = newToken()
  const unit = unitOf(em)
  unit.create(Challenge, {
    tokenHash: hashToken(token)!,
    purpose,
    account: accountId === undefined ? null : unit.getReference(Account, accountId),
    data,
    expiresAt: new Date(Date.now() + LIFE_MS),
  })
  await unit.flush()
  return token
}

/** Takes it up, once. @param accountId whose it was, where it was somebody's @returns what was kept; `undefined` where there is none. */
export async function takeChallenge(
  em: EntityManager,
  purpose: Purpose,
  token: string,
  accountId?: string,
): Promise<Record<string, string> | undefined> {
  const tokenHash = hashToken(token)
  return tokenHash === null ? undefined : useChallenge(em, purpose, tokenHash, accountId)
}
