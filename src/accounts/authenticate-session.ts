import type { AuthenticateSession } from '../http/index.ts'
import { batch, inGroups } from '../platform/batcher.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { admitSession } from './queries.ts'
import { hashToken } from './tokens.ts'

/** Maximum requests of a session in 60 seconds. An open page makes a few every few seconds. */
const MAX_REQUESTS = 1_200

interface SessionRequest {
  tokenHash: Buffer
  workspaceId: string | null
}

/**
 * Authenticates sessions of browsers. Each request is looked up and counted in the database; concurrent requests of a session share
 * a statement.
 */
export function createSessionAuthentication(em: EntityManager): AuthenticateSession {
  // One statement of a session at a time, because they lock the same window.
  const admit = batch(
    ({ tokenHash }: SessionRequest) => tokenHash.toString('base64'),
    inGroups(
      ({ workspaceId }) => workspaceId ?? '',
      (request, count) => admitSession(em.fork(), { ...request, limit: MAX_REQUESTS, count }),
    ),
  )
  return async (token, workspaceId) => {
    const tokenHash = hashToken(token)
    return tokenHash === null ? undefined : admit({ tokenHash, workspaceId })
  }
}
