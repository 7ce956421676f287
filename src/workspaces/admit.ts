import { BUSY, Refusal } from '../platform/refusal.ts'
import { KEY_REFUSALS } from './refusals.ts'
import { networkOf } from '../platform/address-ranges.ts'
import { hashApiKey, isWellFormedApiKey } from './api-key.ts'
import { DEFAULT_RATE_LIMIT, type RateLimit } from './rate-limit.ts'
import type { Caller } from './caller.ts'
import { admitRequest } from './queries.ts'
import { onBehalfOf } from '../platform/db/pool-shares.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import { createKnownLately } from '../platform/known-lately.ts'
import { createRefusedSubjects } from './refused-subjects.ts'

export type { Caller }

export interface Admission {
  rateLimit: RateLimit
  /** Whose request it is, or why it is nobody's, in the words of the specification (section 7). */
  caller: Caller | Refusal
}

/**
 * How many requests of one subject are counted at a time: each waits for the one before, in a session that others need. And
 * how many wait for that, and how long, in milliseconds.
 */
const AT_A_TIME = 2
const LINE = {
  longest: 1_000,
  patienceMs: 2_000,
  refusal: () => new Refusal(BUSY, { message: 'Too many requests of this key or address at a time; please try again' }),
}

/** How many keys are remembered to be somebody's. */
const KNOWN_KEYS = 10_000

/**
 * Decides on a request by its key and its address, and counts it: in the key's window, or, where it has no key that may
 * be used, in the window of its address. A mistyped key fails its checksum and is not looked up.
 *
 * @param key what the request carries as a key; empty where there is none
 * @param address the client's, `null` where it is not known
 */
export interface Admit {
  (key: string, address: string | null): Promise<Admission>
  /** Whether whoever comes from a network with no key is known to be refused at this moment. */
  refuses(network: string): boolean
}

/** Makes what decides on requests, with the memory that it needs to keep whoever is refused away from the database. */
export function createAdmission(em: EntityManager): Admit {
  const inTurn = createBulkhead(AT_A_TIME, LINE)
  const refusals = createRefusedSubjects()
  /** The workspaces of keys that were valid lately. It opens nothing: the database is asked about each request. */
  const workspaces = createKnownLately<string>(KNOWN_KEYS)
  const refuses = (network: string) => refusals.find(network) !== undefined
  return Object.assign(admit, { refuses })

  async function admit(given: string, address: string | null): Promise<Admission> {
    const wellFormed = isWellFormedApiKey(given)
    const keyHash = wellFormed ? hashApiKey(given) : null
    const key = keyHash?.toString('base64') ?? ''
    const network = address === null ? 'unknown' : networkOf(address)
    // A key can be no key at another address: what is remembered of it holds for this one.
    const subject = wellFormed ? `${key} ${address}` : network
    const answered = (rateLimit: RateLimit): Admission => ({ rateLimit, caller: reasonOf(given, 'unknown-key') })
    const known = refusals.find(subject)
    if (known) return answered(known)

    // A key that nobody has seen yet does not wait for those who come from its address with none.
    const workspaceId = workspaces.get(key)
    const line = workspaceId !== undefined ? key : wellFormed ? `keys of ${network}` : network
    return inTurn(line, async () => {
      // Somebody before it in line may have been refused meanwhile.
      const known = refusals.find(subject)
      if (known) return answered(known)
      const askedAt = performance.now()
      const { caller, rateLimit, fullForMs } = await onBehalfOf(workspaceId ?? network, () =>
        admitRequest(em.fork(), { keyHash, address, addressLimit: DEFAULT_RATE_LIMIT }),
      )
      if (wellFormed) workspaces.say(key, typeof caller === 'string' ? undefined : caller.workspace.id)
      if (!rateLimit.allowed) refusals.remember(subject, rateLimit, fullForMs, askedAt)
      return { rateLimit, caller: typeof caller === 'object' ? caller : reasonOf(given, caller) }
    })
  }
}

function reasonOf(key: string, caller: Exclude<keyof typeof KEY_REFUSALS, 'missing' | 'malformed'>): Refusal {
  return new Refusal(KEY_REFUSALS[!key ? 'missing' : isWellFormedApiKey(key) ? caller : 'malformed'])
}
