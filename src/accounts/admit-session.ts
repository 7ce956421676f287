import type { SignedIn } from '../http/index.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { BUSY, Refusal } from '../platform/refusal.ts'
import { admitSession } from './queries.ts'
import { hashToken } from './tokens.ts'

/** Requests of an account in any 60 seconds: a page that is looked at asks some every few seconds. */
const LIMIT = 1_200
/** How many of one session are counted at a time: each waits for the one before. */
const AT_A_TIME = 4
const LINE = {
  longest: 200,
  patienceMs: 5_000,
  refusal: () => new Refusal(BUSY, { message: 'Too many requests of this session at a time; please try again' }),
}

/** Makes what finds who is signed in. @returns `undefined` where the token is of no session, or of one that has ended */
export function createSessionAdmission(em: EntityManager) {
  const inTurn = createBulkhead(AT_A_TIME, LINE)
  return async (token: string, workspaceId: string | null): Promise<SignedIn | undefined> => {
    const tokenHash = hashToken(token)
    if (tokenHash === null) return undefined
    return inTurn(tokenHash.toString('base64'), () => admitSession(em.fork(), { tokenHash, workspaceId, limit: LIMIT }))
  }
}
