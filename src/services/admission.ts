import { hashApiKey, isWellFormedApiKey } from '../domain/api-key.ts'
import { unauthenticated, type Refusal } from '../domain/errors.ts'
import { DEFAULT_RATE_LIMIT, type RateLimit } from '../domain/rate-limit.ts'
import { admitRequest, type Caller } from '../db/queries/admission.ts'
import type { EntityManager } from '../db/orm.ts'

export type { Caller }

export interface Admission {
  rateLimit: RateLimit
  /** Whose request it is, or why it is nobody's, in the words of the specification (section 7). */
  caller: Caller | Refusal
}

/**
 * Decides on a request by its key and its address, and counts it: in the key's window, or, where it has no key that may
 * be used, in the window of its address. A mistyped key fails its checksum and is not looked up.
 *
 * @param address the client's, `null` where it is not known
 */
export async function admit(em: EntityManager, key: string | undefined, address: string | null): Promise<Admission> {
  const wellFormed = key !== undefined && isWellFormedApiKey(key)
  const { caller, rateLimit } = await admitRequest(em.fork(), {
    keyHash: wellFormed ? hashApiKey(key) : null,
    address,
    addressLimit: DEFAULT_RATE_LIMIT,
  })
  if (typeof caller === 'object') return { caller, rateLimit }
  const reason = !key
    ? 'API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"'
    : !wellFormed
      ? 'Invalid API key: it is not a complete key as it was shown once'
      : caller === 'unknown-key'
        ? 'API key not found or has been revoked'
        : 'API key not allowed from this IP address'
  return { caller: unauthenticated(reason), rateLimit }
}
