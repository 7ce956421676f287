/** Requests that run concurrently: enough for a slow connection, and few for the instance. */
const CONCURRENCY = 8

/** Applies an asynchronous function to all items, a few at a time. After an error, it takes no further items. */
export async function limited<Item, Result>(
  items: readonly Item[],
  apply: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  let hasFailed = false
  const work = async () => {
    for (const [index, item] of entries) {
      if (hasFailed) return
      results[index] = await apply(item).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return results
}
