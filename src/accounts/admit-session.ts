import type { AdmitSession } from '../http/index.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { onBehalfOf } from '../platform/db/pool-shares.ts'
import { createKnownLately } from '../platform/known-lately.ts'
import { BUSY, Refusal } from '../platform/refusal.ts'
import { admitSession } from './queries.ts'
import { hashToken } from './tokens.ts'

/** Requests of a session in any 60 seconds: a page that is looked at asks some every few seconds. */
const LIMIT = 1_200
/** How many of one session are counted at a time, and how many of a network's that are nobody's yet: each waits for the one before. */
const AT_A_TIME = 4
const LINE = {
  longest: 200,
  patienceMs: 5_000,
  refusal: () => new Refusal(BUSY, { message: 'Too many requests of this session at a time; please try again' }),
}

/** How many tokens that nobody knows are looked up for a network that is refused. */
const TRIES_A_SECOND = 20

/** How many sessions are remembered to be somebody's. */
const KNOWN_SESSIONS = 10_000

/** Makes what finds who is signed in. */
export function createSessionAdmission(em: EntityManager): AdmitSession {
  const inTurn = createBulkhead(AT_A_TIME, LINE)
  /** Whose sessions were there lately. It opens nothing: the database is asked about each request. */
  const accounts = createKnownLately<string>(KNOWN_SESSIONS)

  /** In this second, by network. */
  const tries = new Map<string, number>()
  let second = 0
  const mayTry = (network: string): boolean => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) tries.clear()
    second = now
    const made = tries.get(network) ?? 0
    tries.set(network, made + 1)
    return made < TRIES_A_SECOND
  }

  return async (token, workspaceId, { network, isRefused }) => {
    const tokenHash = hashToken(token)
    if (tokenHash === null) return undefined
    const key = tokenHash.toString('base64')
    const accountId = accounts.get(key)
    // Anybody can make tokens up; and behind an address that asks for too much, somebody may have signed in just now.
    const mustTry = () => accountId === undefined && isRefused()
    const isTry = mustTry()
    if (isTry && !mayTry(network)) return undefined
    return inTurn(accountId === undefined ? `sessions of ${network}` : key, async () => {
      // It may have been refused while this one waited.
      if (!isTry && mustTry() && !mayTry(network)) return undefined
      const found = await onBehalfOf(accountId ?? network, () =>
        admitSession(em.fork(), { tokenHash, workspaceId, limit: LIMIT }),
      )
      accounts.say(key, found?.account.id)
      return found
    })
  }
}
