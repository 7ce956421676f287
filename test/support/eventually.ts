import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits for a fact: checks repeatedly until it is true, and fails with the last result after a timeout.
 * @param ask returns the fact, or `undefined` while it is not true
 */
export async function eventually<Fact>(
  what: string,
  ask: () => Promise<Fact | undefined> | Fact | undefined,
  timeoutMs = 60_000,
): Promise<Fact> {
  for (const deadline = Date.now() + timeoutMs; ; await delay(25)) {
    const fact = await ask()
    if (fact !== undefined) return fact
    if (Date.now() > deadline) throw new Error(`Timed out after ${timeoutMs / 1000} s: ${what}`)
  }
}
