import { type AuthenticateKey, DEFAULT_RATE_LIMIT, KEY_ERRORS, type RateLimit } from '../http/index.ts'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../platform/address-ranges.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { ApiError } from '../platform/api-error.ts'
import { hashApiKey, isWellFormedApiKey } from './api-key.ts'
import { batch, inGroups } from '../platform/batcher.ts'
import { admitRequests } from './queries.ts'

interface Client {
  keyHash: Buffer | null
  address: string | null
  network: string
}

/** Maximum time that a full window is cached. A raised limit or a deleted key takes effect after this time. */
const MAX_REMEMBERED_MS = 1_000

/**
 * Authenticates API keys. Each request is looked up and counted in the database; concurrent requests of one client share a
 * statement. Only full windows are remembered, so that a client that keeps sending requests costs no statements: a full window
 * stays full, because only admitted requests are counted.
 */
export function createKeyAuthentication(em: EntityManager): AuthenticateKey {
  const fullWindows = new LRUCache<string, { rateLimit: RateLimit; freeAt: number }>({
    max: 10_000,
    ttl: MAX_REMEMBERED_MS,
  })

  // One statement of a key at a time, because they lock the same window.
  const admit = batch(
    ({ keyHash, network }: Client) => keyHash?.toString('base64') ?? network,
    inGroups(
      ({ address }) => address ?? '',
      ({ keyHash, address }, count) =>
        admitRequests(em.fork(), { keyHash, address, addressLimit: DEFAULT_RATE_LIMIT, count }),
    ),
  )

  return async function authenticateKey(key, address) {
    const isWellFormed = isWellFormedApiKey(key)
    const keyHash = isWellFormed ? hashApiKey(key) : null
    const network = address === null ? 'unknown' : networkOf(address)
    // A key may be valid for one address only, so its windows are cached by key and address.
    const subject = keyHash ? `${keyHash.toString('base64')} ${address}` : network
    const full = fullWindows.get(subject)
    if (full) {
      const retryAfter = Math.max(1, Math.ceil((full.freeAt - performance.now()) / 1000))
      return { rateLimit: { ...full.rateLimit, retryAfter }, caller: refusalOf(key, 'unknown-key') }
    }
    const { caller, rateLimit, fullForMs } = await admit({ keyHash, address, network })
    if (!rateLimit.allowed) {
      const ttl = Math.min(fullForMs, MAX_REMEMBERED_MS)
      if (ttl >= 1) fullWindows.set(subject, { rateLimit, freeAt: performance.now() + fullForMs }, { ttl })
    }
    return { rateLimit, caller: typeof caller === 'object' ? caller : refusalOf(key, caller) }
  }
}

function refusalOf(key: string, reason: Exclude<keyof typeof KEY_ERRORS, 'missing' | 'malformed'>): ApiError {
  return new ApiError(KEY_ERRORS[!key ? 'missing' : isWellFormedApiKey(key) ? reason : 'malformed'])
}
