import type { Pool } from 'pg'

/** How long a session may be held, in milliseconds: every statement and every pause in a transaction ends far earlier. */
const MAX_MS = 60_000

/** Knows who holds the sessions of a pool. */
export interface SessionWatch {
  watch(pool: Pool): void
  /** Says so, when every place is held by somebody who has forgotten it: nobody gets a session any more. */
  problem(): string | undefined
}

export function createSessionWatch(poolSize: number, longestMs = MAX_MS): SessionWatch {
  const heldSince = new Map<object, number>()
  return {
    watch(pool) {
      pool.on('acquire', (session) => heldSince.set(session, performance.now()))
      pool.on('release', (_error, session) => heldSince.delete(session))
    },
    problem() {
      const limit = performance.now() - longestMs
      const lost = [...heldSince.values()].filter((since) => since < limit).length
      return lost < poolSize ? undefined : `All ${poolSize} sessions with Postgres are held and not given back`
    },
  }
}
