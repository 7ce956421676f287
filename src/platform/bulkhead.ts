/**
 * Limits how many tasks of each key run at the same time, so that one key cannot use up a shared resource. Further tasks wait in
 * order.
 */
export function createBulkhead(atATime: number) {
  const busy = new Map<string, { running: number; waiting: (() => void)[] }>()
  return async function inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
    const at = busy.get(key) ?? { running: 0, waiting: [] }
    busy.set(key, at)
    if (at.running >= atATime) await new Promise<void>((begin) => at.waiting.push(begin))
    else at.running += 1
    try {
      return await run()
    } finally {
      const next = at.waiting.shift()
      if (next) next()
      else {
        at.running -= 1
        if (at.running === 0) busy.delete(key)
      }
    }
  }
}

export type Bulkhead = ReturnType<typeof createBulkhead>

/**
 * Waits for a promise with a time limit. The work itself continues after the limit. @throws the error that `late` creates, after
 * the limit
 */
export async function within<Result>(milliseconds: number, what: Promise<Result>, late: () => Error): Promise<Result> {
  what.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([what, limit])
  } finally {
    clearTimeout(timer)
  }
}
