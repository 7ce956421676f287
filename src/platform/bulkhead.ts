/** How many wait in line at most, for how many milliseconds, and what whoever waits in vain is told. */
export interface Line {
  longest: number
  patienceMs: number
  refusal: () => Error
}

/** Keeps those apart who share something scarce: so many of one key at a time, and the rest in line. */
export function createBulkhead(atATime: number, line?: Line) {
  const busy = new Map<string, { running: number; waiting: (() => void)[] }>()
  return async function inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
    const at = busy.get(key) ?? { running: 0, waiting: [] }
    if (line && at.waiting.length >= line.longest) throw line.refusal()
    busy.set(key, at)
    if (at.running >= atATime) await turnIn(at.waiting, line)
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

/** Waits for a turn, which whoever goes hands on. */
const turnIn = (waiting: (() => void)[], line: Line | undefined) =>
  new Promise<void>((begin, reject) => {
    const late =
      line &&
      setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1)
        reject(line.refusal())
      }, line.patienceMs)
    const turn = () => {
      clearTimeout(late)
      begin()
    }
    waiting.push(turn)
  })

export type Bulkhead = ReturnType<typeof createBulkhead>

/** Waits for something for so long. What was begun goes on. @throws what `late` makes, when it takes longer. */
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
