interface Waiting<Item, Answer> {
  item: Item
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

type Queue<Item, Answer> = Waiting<Item, Answer>[] & { onPush?: () => void }

/**
 * Combines calls that arrive while an earlier one is running into one batch per key. A call waits for at most one batch before
 * its own, and a call that arrives alone does not wait unless a gathering is given. If a batch fails, every call in it fails.
 *
 * @param keyOf calls with different keys are never in one batch, and do not wait for each other
 * @param run returns the results in the order of the batch
 * @param options.maxBatch the maximum number of calls in one batch
 * @param options.gather the number of calls for which a batch waits, and the maximum wait in milliseconds
 */
export function batch<Item, Answer>(
  keyOf: (item: Item) => string,
  run: (batch: Item[]) => Promise<Answer[]>,
  { maxBatch = 100, gather = { count: 1, withinMs: 0 } } = {},
): (item: Item) => Promise<Answer> {
  const queues = new Map<string, Queue<Item, Answer>>()

  async function work(key: string, queue: Queue<Item, Answer>): Promise<void> {
    while (queue.length > 0) {
      if (queue.length < gather.count) await gathered(queue)
      const batch = queue.splice(0, maxBatch)
      try {
        const answers = await run(batch.map(({ item }) => item))
        for (const [n, { resolve }] of batch.entries()) resolve(answers[n]!)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    queues.delete(key)
  }

  function gathered(queue: Queue<Item, Answer>): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, gather.withinMs)
      queue.onPush = () => {
        if (queue.length < gather.count) return
        clearTimeout(late)
        resolve()
      }
    })
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item)
      const waiting = { item, resolve, reject }
      const queue = queues.get(key)
      if (queue) {
        queue.push(waiting)
        return queue.onPush?.()
      }
      const started: Queue<Item, Answer> = [waiting]
      queues.set(key, started)
      void work(key, started)
    })
}

/**
 * Runs a batch in groups of calls that ask for the same, one group after another.
 * @param run returns an answer for each of `count` equal calls
 */
export const inGroups =
  <Item, Answer>(groupOf: (item: Item) => string, run: (item: Item, count: number) => Promise<Answer[]>) =>
  async (batch: readonly Item[]): Promise<Answer[]> => {
    const answers: Answer[] = []
    for (const places of Map.groupBy(batch.keys(), (n) => groupOf(batch[n]!)).values()) {
      const all = await run(batch[places[0]!]!, places.length)
      for (const [n, place] of places.entries()) answers[place] = all[n]!
    }
    return answers
  }
