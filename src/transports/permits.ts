import { Recent } from '../platform/recent.ts'
import { TransportClosed } from './transport.ts'

/** How long a group is reckoned with that has asked for a permit, in milliseconds. */
const RECKONED_MS = 60_000
/** A permit that was taken so long ago, in milliseconds, is with what is slow, and keeps nobody else from having one. */
const LONG_MS = 30_000
/** How long a group is taken for one whose emails need time, in milliseconds, after one that was not quick enough. */
const UNHURRIED_MS = 10 * 60_000
const UNHURRIED = 10_000

/**
 * So many at a time, and whoever waits waits in turn: the group that had none for longest is next, also when it gave up waiting
 * meanwhile, so that a group of thousands keeps another one waiting for a moment only. A moment can be long where a group's emails take long: as long as there
 * are others, one in five permits, and one at least, is for whoever has none. And where slow emails have had all of them for long,
 * whoever has none gets one more, as often as there are such emails: what is slow behind its message can't be broken off.
 */
export class Permits {
  private readonly size: number
  private readonly kept: number
  private readonly most: number
  private readonly waiting = new Map<string, Waiter[]>()
  private readonly held = new Map<string, number>()
  /** When each was taken, in that order. */
  private readonly since = new Map<Taken, number>()
  private readonly asked = new Map<string, number>()
  /** When each group had its last one, as a number that grows; none of those that have not asked for long. */
  private readonly hadLast = new Map<string, number>()
  private turns = 0
  /** Whose emails need more time than a scarce permit gives. */
  private readonly unhurried = new Recent(UNHURRIED, UNHURRIED_MS)
  private closed = false

  constructor(size: number) {
    this.size = size
    this.kept = Math.max(1, Math.floor(size / 5))
    this.most = Math.max(1, size - this.kept)
  }

  /** How many are free: less than none where there are more than usual. */
  private get free(): number {
    return this.size - this.since.size
  }

  private mayTake(group: string): boolean {
    const has = this.held.get(group) ?? 0
    const room = this.free + (has === 0 ? this.slow() : 0) - (this.unhurried.has(group) ? this.scarceLeft() : 0)
    return room > 0 && (has < this.most || !this.hasOthers(group))
  }

  /** How many have been taken for long: at most as many as there are. */
  private slow(): number {
    const limit = performance.now() - LONG_MS
    let slow = 0
    for (const at of this.since.values()) {
      if (at > limit || slow === this.size) break
      slow += 1
    }
    return slow
  }

  /** Says that a group's emails need more time than a scarce permit gives: it has to wait for others. */
  noteUnhurried(group: string): void {
    this.unhurried.note(group)
  }

  /** How many of those that are free are kept for what is quick. */
  private scarceLeft(): number {
    const scarce = [...this.since.keys()].filter(({ isScarce }) => isScarce).length
    return this.size > 1 ? this.kept - scarce : 0
  }

  private hold(group: string): Taken {
    const isScarce = this.free <= this.kept && this.scarceLeft() > 0 && !this.unhurried.has(group)
    const taken = { isScarce }
    this.held.set(group, (this.held.get(group) ?? 0) + 1)
    this.hadLast.set(group, (this.turns += 1))
    this.since.set(taken, performance.now())
    return taken
  }

  private hasOthers(group: string): boolean {
    const limit = performance.now() - RECKONED_MS
    for (const [other, at] of this.asked) {
      if (at >= limit || this.waiting.has(other)) continue
      this.asked.delete(other)
      this.hadLast.delete(other)
    }
    return this.asked.size > (this.asked.has(group) ? 1 : 0)
  }

  take(group: string, signal: AbortSignal): Promise<Taken> {
    if (this.closed) return Promise.reject(closed())
    if (signal.aborted) return Promise.reject(asError(signal.reason))
    this.asked.set(group, performance.now())
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', abort)
        const queue = this.waiting.get(group)?.filter((other) => other !== waiter) ?? []
        if (queue.length > 0) this.waiting.set(group, queue)
        else this.waiting.delete(group)
      }
      const abort = () => {
        leave()
        reject(asError(signal.reason))
      }
      const waiter: Waiter = {
        grant(granted) {
          leave()
          resolve(granted)
        },
        refuse() {
          leave()
          reject(closed())
        },
      }
      signal.addEventListener('abort', abort, { once: true })
      this.waiting.set(group, [...(this.waiting.get(group) ?? []), waiter])
      this.giveOut()
    })
  }

  give(group: string, taken: Taken): void {
    this.since.delete(taken)
    const held = (this.held.get(group) ?? 0) - 1
    if (held > 0) this.held.set(group, held)
    else this.held.delete(group)
    this.giveOut()
  }

  /** Gives out what may be had: more than one, where others are reckoned with no longer for whom it was kept. */
  private giveOut(): void {
    while (!this.closed && this.giveToNext());
  }

  private giveToNext(): boolean {
    let next: string | undefined
    for (const group of this.waiting.keys()) {
      if ((next === undefined || this.lastOf(group) < this.lastOf(next)) && this.mayTake(group)) next = group
    }
    if (next === undefined) return false
    const [waiter] = this.waiting.get(next)!
    waiter!.grant(this.hold(next))
    return true
  }

  private lastOf(group: string): number {
    return this.hadLast.get(group) ?? 0
  }

  /** Gives out none any more. */
  close(): void {
    this.closed = true
    for (const queue of [...this.waiting.values()]) for (const waiter of [...queue]) waiter.refuse()
  }
}

/** A permit that was taken. */
export interface Taken {
  /** Whether it is one of the last, which are kept for others: what is handed over with it has to be quick, or nobody has one. */
  isScarce: boolean
}

interface Waiter {
  grant(taken: Taken): void
  refuse(): void
}

const closed = () => new TransportClosed('The process is stopping')
const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))
