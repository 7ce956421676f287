/** Requests that run concurrently: enough for a slow connection, and few for the instance. */
const CONCURRENCY = 8

/** Applies an asynchronous function to all items, a few at a time. Stops at the first error. */
export async function limited<Item, Result>(
  items: readonly Item[],
  apply: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  const work = async () => {
    for (const [index, item] of entries) results[index] = await apply(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return results
}
