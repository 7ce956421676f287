import type { AuthenticateSession } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { admitSession } from './queries.ts'
import { hashToken } from './tokens.ts'

/** Maximum requests of a session in 60 seconds. An open page makes a few every few seconds. */
const MAX_REQUESTS = 1_200

/** Authenticates sessions of browsers. Each request is looked up and counted in the database. */
export const createSessionAuthentication =
  (em: EntityManager): AuthenticateSession =>
  async (token, workspaceId) => {
    const tokenHash = hashToken(token)
    return tokenHash === null ? undefined : admitSession(em.fork(), { tokenHash, workspaceId, limit: MAX_REQUESTS })
  }
