interface Waiting<Item, Answer> {
  item: Item
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Makes one call of many that come while the one before it is under way: each waits for no longer than that, and one that comes
 * alone waits for nothing. What one of a batch fails of, all of it fail of.
 *
 * @param run answers in the order of the batch
 * @param most so many in a batch
 */
export function coalesce<Item, Answer>(
  run: (batch: Item[]) => Promise<Answer[]>,
  most = 100,
): (item: Item) => Promise<Answer> {
  const line: Waiting<Item, Answer>[] = []
  let isRunning = false

  async function work(): Promise<void> {
    isRunning = true
    while (line.length > 0) {
      const batch = line.splice(0, most)
      try {
        const answers = await run(batch.map(({ item }) => item))
        for (const [n, { resolve }] of batch.entries()) resolve(answers[n]!)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      line.push({ item, resolve, reject })
      if (!isRunning) void work()
    })
}
