import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits for a fact: asks again until the answer is there, and fails with what was last seen when it does not come.
 * @param ask gives the fact, or `undefined` while it is not so.
 */
export async function eventually<Fact>(
  what: string,
  ask: () => Promise<Fact | undefined> | Fact | undefined,
  timeoutMs = 60_000,
): Promise<Fact> {
  for (const deadline = Date.now() + timeoutMs; ; await delay(25)) {
    const fact = await ask()
    if (fact !== undefined) return fact
    if (Date.now() > deadline) throw new Error(`It did not come to be within ${timeoutMs / 1000} s: ${what}`)
  }
}
