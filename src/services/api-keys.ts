import { ApiKey } from '../db/entities/api-key.ts'
import { Workspace } from '../db/entities/workspace.ts'
import type { EntityManager } from '../db/orm.ts'
import { isAddressRange, isAllowedAddress } from '../domain/address-ranges.ts'
import { generateApiKey, hashApiKey, isWellFormedApiKey, visiblePrefix } from '../domain/api-key.ts'
import { invalid, notFound, unauthenticated } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import type { Scope } from '../domain/scopes.ts'

export interface NewApiKey {
  workspaceId: string
  name: string
  scopes: readonly Scope[]
  allowedRanges?: readonly string[]
  rateLimit?: number | undefined
}

/** Makes a key of a workspace. @returns it together with the key itself, which is nowhere to be had again. */
export async function createApiKey(
  em: EntityManager,
  { workspaceId, name, scopes, allowedRanges = [], rateLimit = 120 }: NewApiKey,
): Promise<{ apiKey: ApiKey; key: string }> {
  const fork = em.fork()
  const workspace = isId(workspaceId) ? await fork.findOne(Workspace, workspaceId) : null
  if (!workspace) throw notFound(`There is no workspace ${workspaceId}`)
  const wrong = allowedRanges.find((range) => !isAddressRange(range))
  if (wrong !== undefined) throw invalid(`"${wrong}" is no IP address or CIDR range, such as 203.0.113.7 or 10.0.0.0/8`)
  const key = generateApiKey(workspace.mode)
  const apiKey = fork.create(ApiKey, {
    workspace,
    name,
    prefix: visiblePrefix(key),
    hash: hashApiKey(key),
    scopes: [...scopes],
    allowedRanges: [...allowedRanges],
    rateLimit,
  })
  await fork.flush()
  return { apiKey, key }
}

export const listApiKeys = (em: EntityManager): Promise<ApiKey[]> =>
  em.fork().findAll(ApiKey, { populate: ['workspace'], orderBy: { createdAt: 'asc', id: 'asc' } })

/** Deletes a key. The next request with it, on any replica, is refused: nothing caches keys. */
export async function deleteApiKey(em: EntityManager, id: string): Promise<void> {
  const deleted = isId(id) ? await em.fork().nativeDelete(ApiKey, { id }) : 0
  if (deleted === 0) throw notFound(`There is no API key ${id}`)
}

/**
 * Finds the key that a request carries, and its workspace.
 *
 * @param address the client's, which a key may be restricted to
 * @throws {Refusal} `unauthenticated`, in the words of the specification (section 7).
 */
export async function authenticate(em: EntityManager, key: string | undefined, address: string): Promise<ApiKey> {
  if (!key) {
    throw unauthenticated('API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"')
  }
  if (!isWellFormedApiKey(key)) throw unauthenticated('Invalid API key: it is not a complete key as it was shown once')
  const apiKey = await em.fork().findOne(ApiKey, { hash: hashApiKey(key) }, { populate: ['workspace'] })
  if (!apiKey) throw unauthenticated('API key not found or has been revoked')
  if (!isAllowedAddress(apiKey.allowedRanges, address)) {
    throw unauthenticated('API key not allowed from this IP address')
  }
  return apiKey
}
