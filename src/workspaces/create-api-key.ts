import { DEFAULT_RATE_LIMIT, type Scope } from '../http/index.ts'
import { ApiKey, Workspace } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { isAddressRange } from '../platform/address-ranges.ts'
import { generateApiKey, hashApiKey, visiblePrefix } from './api-key.ts'
import { invalid, notFound, ApiError } from '../platform/api-error.ts'
import { API_KEY_NOT_FOUND } from './errors.ts'
import { lastUses } from './queries.ts'
import { isId } from '../platform/ids.ts'

export interface NewApiKey {
  workspaceId: string
  name: string
  scopes: readonly Scope[]
  allowedRanges?: readonly string[]
  rateLimit?: number | undefined
  /** When the key expires. If missing, never. */
  expiresAt?: Date | undefined
}

/** Creates an API key. @returns its record, and the key itself, which is not stored */
export async function createApiKey(
  em: EntityManager,
  { workspaceId, name, scopes, allowedRanges = [], rateLimit = DEFAULT_RATE_LIMIT, expiresAt }: NewApiKey,
): Promise<{ apiKey: ApiKey; key: string }> {
  const fork = unitOf(em)
  const workspace = isId(workspaceId) ? await fork.findOne(Workspace, workspaceId) : null
  if (!workspace) throw notFound(`There is no workspace ${workspaceId}`)
  const wrong = allowedRanges.find((range) => !isAddressRange(range))
  if (wrong !== undefined)
    throw invalid(
      `"${wrong}" is not an IP address or CIDR range, such as 203.0.113.7 or 10.0.0.0/8. A range begins with its first address.`,
    )
  const key = generateApiKey(workspace.mode)
  const apiKey = fork.create(ApiKey, {
    workspace,
    name,
    prefix: visiblePrefix(key),
    hash: hashApiKey(key),
    scopes: [...scopes],
    allowedRanges: [...allowedRanges],
    rateLimit,
    expiresAt: expiresAt ?? null,
    lastUsedAt: null,
  })
  await fork.flush()
  return { apiKey, key }
}

/**
 * Changes the name or the rate limit of a key, from its next request on.
 * @throws {ApiError} `api_key_not_found`
 */
export async function changeApiKey(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { name, rateLimit }: { name?: string | undefined; rateLimit?: number | undefined },
): Promise<ApiKey> {
  const unit = unitOf(em)
  const key = isId(id) ? await unit.findOne(ApiKey, { id, workspace: workspaceId }, { populate: ['workspace'] }) : null
  if (!key) throw new ApiError(API_KEY_NOT_FOUND)
  if (name !== undefined) key.name = name
  if (rateLimit !== undefined) key.rateLimit = rateLimit
  await unit.flush()
  return key
}

/** Lists all keys, or those of a workspace, oldest first, each with its last use. */
export async function listApiKeys(em: EntityManager, workspaceId?: string): Promise<ApiKey[]> {
  const fork = em.fork()
  const keys = await fork.find(ApiKey, ofWorkspace(workspaceId), {
    populate: ['workspace'],
    orderBy: { createdAt: 'asc', id: 'asc' },
  })
  const uses = await lastUses(fork)
  for (const key of keys) key.lastUsedAt = uses.get(key.id) ?? null
  return keys
}

const ofWorkspace = (workspaceId: string | undefined) => (workspaceId === undefined ? {} : { workspace: workspaceId })

/**
 * Creates a key with the same permissions as an old one. The old key expires after the overlap or earlier, so that clients have
 * time to switch.
 *
 * @returns both keys
 */
export async function rotateApiKey(
  em: EntityManager,
  id: string,
  overlapMs: number,
  workspaceId?: string,
): Promise<{ old: ApiKey; apiKey: ApiKey; key: string }> {
  const fork = unitOf(em)
  const old = isId(id) ? await fork.findOne(ApiKey, { id, ...ofWorkspace(workspaceId) }) : null
  if (!old) throw new ApiError(API_KEY_NOT_FOUND)
  if (old.expiresAt && old.expiresAt <= new Date()) {
    throw invalid('This key has expired. Create a new one: key create')
  }
  if (old.rotatedAt) {
    throw invalid(
      `This key was already rotated and expires at ${old.expiresAt?.toISOString()}. If you lost its successor, create a new one: key create`,
    )
  }
  const { name, scopes, allowedRanges, rateLimit } = old
  // The new key of a temporary key is also temporary.
  const expiresAt = old.expiresAt ?? undefined
  const made = await createApiKey(em, {
    workspaceId: old.workspace.id,
    name,
    scopes,
    allowedRanges,
    rateLimit,
    expiresAt,
  })
  const end = new Date(Date.now() + overlapMs)
  if (!old.expiresAt || old.expiresAt > end) old.expiresAt = end
  old.rotatedAt = new Date()
  await fork.flush()
  return { old, ...made }
}

/**
 * Deletes a key. All replicas reject the next request with it, because keys are not cached.
 *
 * @returns the ID of its workspace
 * @throws {ApiError} `api_key_not_found`
 */
export async function deleteApiKey(em: EntityManager, id: string, workspaceId?: string): Promise<string> {
  const unit = unitOf(em)
  const key = isId(id) ? await unit.findOne(ApiKey, { id, ...ofWorkspace(workspaceId) }) : null
  if (!key || (await unit.nativeDelete(ApiKey, { id })) === 0) throw new ApiError(API_KEY_NOT_FOUND)
  return key.workspace.id
}

/** Deletes all keys, because a restored database may contain manipulated ones. */
export async function deleteAllApiKeys(em: EntityManager): Promise<void> {
  await em.fork().nativeDelete(ApiKey, {})
}
