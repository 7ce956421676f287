import { DEFAULT_RATE_LIMIT, SCOPES } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { generateApiKey, hashApiKey, visiblePrefix } from './api-key.ts'
import { ApiKey, Workspace } from './entities.ts'
import { lockWorkspaces } from './queries.ts'

export interface FirstKeys {
  live: string
  test: string
}

/**
 * Creates a live and a test workspace with a key each, on the first start. The keys are shown before the commit, because only
 * their hashes are stored: after a crash in between, new ones are created and shown.
 *
 * @returns `false` if a workspace already exists
 */
export const createFirstWorkspace = (
  em: EntityManager,
  show: (first: FirstKeys, transaction: EntityManager) => Promise<void> | void,
): Promise<boolean> =>
  em.fork().transactional(async (transaction) => {
    // Race: two processes start concurrently and each create both workspaces. Guard: the lock.
    await lockWorkspaces(transaction)
    if ((await transaction.count(Workspace)) > 0) return false
    const keyOf = (mode: 'live' | 'test'): string => {
      const name = mode === 'live' ? 'My workspace' : 'My workspace (test)'
      const workspace = transaction.create(Workspace, { name, mode })
      const key = generateApiKey(mode)
      transaction.create(ApiKey, {
        workspace,
        name: 'First key',
        prefix: visiblePrefix(key),
        hash: hashApiKey(key),
        scopes: [...SCOPES],
        allowedRanges: [],
        rateLimit: DEFAULT_RATE_LIMIT,
      })
      return key
    }
    const first = { live: keyOf('live'), test: keyOf('test') }
    await transaction.flush()
    await show(first, transaction)
    return true
  })
