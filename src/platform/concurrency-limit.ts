export interface ConcurrencyLimitOptions {
  /** Tasks of one key that run at the same time. */
  maxRunning: number
  /** Tasks of one key that wait for their turn. */
  maxWaiting: number
  /** Milliseconds that a task waits before it is rejected. */
  maxWaitMs: number
  /** Creates the error for a task that cannot wait, or has waited too long. */
  createError: () => Error
}

interface Group {
  running: number
  /** Starts the waiting tasks, first come, first served. */
  waiting: (() => void)[]
}

/**
 * Limits how many tasks of one key run at the same time. Each key has its own slots, so that a busy key never delays another one.
 * Tasks beyond the limit wait in order.
 */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyLimitOptions
  readonly #groups = new Map<string, Group>()

  constructor(options: ConcurrencyLimitOptions) {
    this.#options = options
  }

  /** Runs a task as soon as its key has a free slot. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const group = this.#groups.get(key) ?? { running: 0, waiting: [] }
    this.#groups.set(key, group)
    if (group.running < this.#options.maxRunning) group.running += 1
    else await this.#waitForPlace(group)
    try {
      return await task()
    } finally {
      this.#freePlace(key, group)
    }
  }

  /** Waits until a finished task passes its slot on. */
  #waitForPlace({ waiting }: Group): Promise<void> {
    const { maxWaiting, maxWaitMs, createError } = this.#options
    if (waiting.length >= maxWaiting) throw createError()
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(createError())
      }, maxWaitMs)
      const start = () => {
        clearTimeout(timeout)
        resolve()
      }
      waiting.push(start)
    })
  }

  /** Passes the slot to the next task. The number of running tasks then stays the same. */
  #freePlace(key: string, group: Group): void {
    const startNext = group.waiting.shift()
    if (startNext) return startNext()
    group.running -= 1
    if (group.running === 0) this.#groups.delete(key)
  }
}
