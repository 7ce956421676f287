import type { Pool } from 'pg'

/**
 * The maximum time that a session may be in use, in milliseconds. Every statement and every pause in a transaction ends much
 * sooner.
 */
const MAX_MS = 60_000

/** Tracks which sessions of a pool are in use. */
export interface SessionWatch {
  watch(pool: Pool): void
  /** Reports a problem if every session is leaked, so that no caller can get one. */
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
      return lost < poolSize
        ? undefined
        : `All ${poolSize} sessions with Postgres are leaked: they have been in use for too long and were not released`
    },
  }
}
