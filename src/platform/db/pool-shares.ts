import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'

/** How long somebody waits for a session, in milliseconds, and how many of one owner do at a time. */
const PATIENCE_MS = 3_000
const LONGEST_LINE = 500

/** What stands in the error of whoever waited for too long: an ORM wraps errors, and keeps their texts. */
export const SHARE_USED_UP = 'The share of the sessions with Postgres is used up'

const owners = new AsyncLocalStorage<string>()

/** Does something for somebody: the sessions with Postgres that it takes are of that one's share. */
export const onBehalfOf = <Result>(owner: string, run: () => Result): Result => owners.run(owner, run)

/** How many sessions of a pool one owner has at most, and how many are kept for those who have none. */
export const sharesOf = (poolSize: number) => ({
  share: Math.max(1, Math.floor(poolSize * 0.6)),
  kept: Math.floor(poolSize * 0.2),
})

interface Waiting {
  begin(): void
}

/**
 * Divides the sessions of a pool among those on whose behalf they are taken: no one of them has more than six of ten, and two
 * of ten are for whoever has none. So whatever somebody's statements wait for, others are served. The rest waits in line, holding
 * nothing; a place that is free goes to whoever has the fewest, and of those
 * to whoever has waited for their turn the longest. What is done on nobody's behalf takes what it needs, and is not
 * counted: a worker in the same process would leave the API nothing but what is kept.
 */
export function dividePool(
  pool: Pool,
  poolSize: number,
  { patienceMs = PATIENCE_MS, longestLine = LONGEST_LINE } = {},
): void {
  const { share, kept } = sharesOf(poolSize)
  const held = new Map<string, number>()
  const lines = new Map<string, Waiting[]>()
  const ownerOf = new WeakMap<object, string>()
  let taken = 0

  const connect = pool.connect.bind(pool) as (done: (error: Error | undefined, session: PoolClient) => void) => void
  const holds = (owner: string) => held.get(owner) ?? 0
  const mayTake = (owner: string) =>
    holds(owner) === 0 ? taken < poolSize : holds(owner) < share && taken + kept < poolSize
  const take = (owner: string) => {
    taken += 1
    held.set(owner, holds(owner) + 1)
  }
  const giveBack = (owner: string) => {
    taken -= 1
    if (holds(owner) === 1) held.delete(owner)
    else held.set(owner, holds(owner) - 1)
    letNextIn()
  }
  const letNextIn = () => {
    for (;;) {
      const [next] = [...lines.keys()].filter(mayTake).toSorted((a, b) => holds(a) - holds(b))
      if (next === undefined) return
      const line = lines.get(next)!
      const first = line.shift()!
      // Behind all others who have as few: a line that is never empty would be the first of them for ever.
      lines.delete(next)
      if (line.length > 0) lines.set(next, line)
      take(next)
      first.begin()
    }
  }

  /** Waits in line for a place. */
  const placeFor = (owner: string) =>
    new Promise<void>((begin, reject) => {
      const line = lines.get(owner) ?? []
      if (line.length >= longestLine) return reject(new Error(SHARE_USED_UP))
      lines.set(owner, line)
      const late = setTimeout(() => {
        line.splice(line.indexOf(waiting), 1)
        if (line.length === 0) lines.delete(owner)
        reject(new Error(SHARE_USED_UP))
      }, patienceMs)
      const waiting = {
        begin() {
          clearTimeout(late)
          begin()
        },
      }
      line.push(waiting)
    })

  const session = (owner: string | undefined) =>
    new Promise<PoolClient>((resolve, reject) => {
      // By its callback, which comes in the same turn: a session that breaks at once is given back after it was taken.
      connect((error, session) => {
        if (error) {
          if (owner !== undefined) giveBack(owner)
          return reject(error)
        }
        if (owner !== undefined) ownerOf.set(session, owner)
        resolve(session)
      })
    })

  pool.on('release', (_error, session) => {
    const owner = ownerOf.get(session)
    ownerOf.delete(session)
    if (owner !== undefined) giveBack(owner)
  })

  const divided = async (): Promise<PoolClient> => {
    const owner = owners.getStore()
    if (owner === undefined) return session(undefined)
    if (!lines.has(owner) && mayTake(owner)) take(owner)
    else await placeFor(owner)
    return session(owner)
  }
  pool.connect = divided as Pool['connect']
}
