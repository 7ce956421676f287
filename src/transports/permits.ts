import { TransportClosed } from './transport.ts'

/**
 * So many at a time, and whoever waits waits in turn: each group has one go before any has a second, so that a group of
 * thousands keeps another one waiting for a moment only.
 */
export class Permits {
  private free: number
  private readonly waiting = new Map<string, Waiter[]>()
  private closed = false

  constructor(size: number) {
    this.free = size
  }

  /** Takes one, if one is free and nobody waits. */
  takeNow(): boolean {
    if (this.closed || this.free === 0 || this.waiting.size > 0) return false
    this.free -= 1
    return true
  }

  take(group: string, signal: AbortSignal): Promise<void> {
    if (this.closed) return Promise.reject(closed())
    if (signal.aborted) return Promise.reject(asError(signal.reason))
    if (this.takeNow()) return Promise.resolve()
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
        grant() {
          leave()
          resolve()
        },
        refuse() {
          leave()
          reject(closed())
        },
      }
      signal.addEventListener('abort', abort, { once: true })
      this.waiting.set(group, [...(this.waiting.get(group) ?? []), waiter])
    })
  }

  give(): void {
    this.free += 1
    const [next] = this.waiting
    if (!next || this.closed) return
    const [group, [waiter]] = next
    this.free -= 1
    waiter?.grant()
    // Its next one comes after everybody else's first.
    const rest = this.waiting.get(group)
    if (rest) {
      this.waiting.delete(group)
      this.waiting.set(group, rest)
    }
  }

  /** Gives out none any more. */
  close(): void {
    this.closed = true
    for (const queue of [...this.waiting.values()]) for (const waiter of [...queue]) waiter.refuse()
  }
}

interface Waiter {
  grant(): void
  refuse(): void
}

const closed = () => new TransportClosed('The process is stopping')
const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))
