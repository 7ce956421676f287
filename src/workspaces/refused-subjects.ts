import type { RateLimit } from './rate-limit.ts'

/** How long a refusal is remembered at most, in milliseconds: so late a limit that was raised, or a key that was deleted, is seen. */
const LONGEST_MS = 1_000

/** How many are remembered at most: who has more addresses than that is asked for in the database. */
const MOST = 10_000

/**
 * Remembers whose window is full, and until when: it stays full until then, whoever asks on whichever replica, because only
 * requests that are let in are counted. So whoever goes on asking costs the database nothing.
 */
export function createRefusedSubjects(now: () => number = () => performance.now(), longestMs = LONGEST_MS) {
  const refused = new Map<string, { rateLimit: RateLimit; until: number; freeAt: number }>()
  return {
    /** @returns what a subject is refused with, if its window is known to be full at this moment. */
    find(subject: string): RateLimit | undefined {
      const found = refused.get(subject)
      if (!found) return undefined
      const at = now()
      if (at < found.until)
        return { ...found.rateLimit, retryAfter: Math.max(1, Math.ceil((found.freeAt - at) / 1000)) }
      refused.delete(subject)
      return undefined
    },
    /** @param askedAt when the database was asked, by the same clock: its answer may have taken a while. */
    remember(subject: string, rateLimit: RateLimit, fullForMs: number, askedAt: number): void {
      const [oldest] = refused.keys()
      if (refused.size >= MOST && oldest !== undefined) refused.delete(oldest)
      refused.delete(subject)
      // Never for too long, and nobody is told to come too early.
      const until = askedAt + Math.min(fullForMs, longestMs)
      refused.set(subject, { rateLimit, until, freeAt: now() + fullForMs })
    },
  }
}
