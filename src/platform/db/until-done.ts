import { setTimeout as delay } from 'node:timers/promises'
import { classifyDatabaseError, isTransient } from './errors.ts'

/** Milliseconds between two attempts: initially and at most. */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 5_000

/** Repeats a statement until it succeeds, or until its error says that repeating will not help. */
export async function untilDone<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      if (classifyDatabaseError(error) === 'refuse' || !isTransient(error)) throw error
      await delay(pause)
    }
  }
}
