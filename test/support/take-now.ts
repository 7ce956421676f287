import type { Permits, Taken } from '../../src/transports/permits.ts'

/** Takes a permit if it is the group's at once, and does not wait for one. */
export async function takeNow(permits: Permits, group: string): Promise<Taken | undefined> {
  const now = new AbortController()
  const taken = permits.take(group, now.signal)
  now.abort(new Error('None is free now'))
  return taken.catch(() => undefined)
}
