import { batch } from '../batcher.ts'
import { isDatabaseUnavailable } from './errors.ts'
import type { EntityManager } from './orm.ts'

/** Maximum number of requests that share a transaction. */
const MAX_SHARED = 50

/**
 * Returns a function that writes an item together with those of concurrent requests of the process. If that fails, each is written on
 * its own, so that a call fails for its own item only.
 *
 * @param keyOf items with different keys do not wait for each other
 * @param run writes items in one transaction, and returns the answers in their order. Writing an item again must change nothing
 */
export function sharedWriter<Item, Answer>(
  keyOf: (item: Item) => string,
  run: (em: EntityManager, items: readonly Item[]) => Promise<Answer[]>,
): (em: EntityManager, item: Item) => Promise<Answer> {
  const writers = new WeakMap<EntityManager, (item: Item) => Promise<PromiseSettledResult<Answer>>>()

  async function writeAll(em: EntityManager, items: readonly Item[]): Promise<PromiseSettledResult<Answer>[]> {
    try {
      return (await run(em, items)).map((value) => ({ status: 'fulfilled', value }))
    } catch (error) {
      if (items.length === 1 || isDatabaseUnavailable(error)) throw error
      // One after another, so that they use one connection.
      const results: PromiseSettledResult<Answer>[] = []
      for (const item of items)
        results.push(...(await Promise.allSettled([run(em, [item]).then(([answer]) => answer!)])))
      return results
    }
  }

  return async (em, item) => {
    const writer = writers.get(em) ?? batch(keyOf, (items: Item[]) => writeAll(em, items), { maxBatch: MAX_SHARED })
    writers.set(em, writer)
    const written = await writer(item)
    if (written.status === 'rejected') throw written.reason
    return written.value
  }
}
