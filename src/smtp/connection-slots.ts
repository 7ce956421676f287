import { TransportClosed } from './transport.ts'

interface Waiter {
  grant(): void
  reject(error: Error): void
}

/**
 * Limits how many connections to a mail server are in use, and shares them fairly: the waiting workspace that holds the fewest
 * slots is next, so a workspace with thousands of emails delays another workspace's email by one email at most.
 */
export class ConnectionSlots {
  #free: number
  #isClosed = false
  readonly #held = new Map<string, number>()
  /** Workspaces that wait. One that was just granted a slot is moved to the end. */
  readonly #waiting = new Map<string, Waiter[]>()

  constructor(size: number) {
    this.#free = size
  }

  /**
   * Waits for a slot.
   *
   * @returns a function that releases the slot; further calls do nothing
   * @throws {TransportClosed} once the slots are closed; the signal's reason if it is aborted first
   */
  async take(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#isClosed) throw closed()
    signal.throwIfAborted()
    await this.#wait(workspaceId, signal)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#release(workspaceId)
    }
  }

  /** Rejects all current and later waiters. */
  close(): void {
    this.#isClosed = true
    for (const queue of [...this.#waiting.values()]) for (const waiter of [...queue]) waiter.reject(closed())
  }

  #wait(workspaceId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', onAbort)
        this.#removeWaiter(workspaceId, waiter)
      }
      const waiter: Waiter = {
        grant() {
          leave()
          resolve()
        },
        reject(error) {
          leave()
          reject(error)
        },
      }
      const onAbort = () => waiter.reject(asError(signal.reason))
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.set(workspaceId, [...(this.#waiting.get(workspaceId) ?? []), waiter])
      this.#grantNext()
    })
  }

  #removeWaiter(workspaceId: string, waiter: Waiter): void {
    const rest = this.#waiting.get(workspaceId)?.filter((other) => other !== waiter) ?? []
    this.#waiting.delete(workspaceId)
    if (rest.length > 0) this.#waiting.set(workspaceId, rest)
  }

  #grantNext(): void {
    if (this.#free === 0 || this.#waiting.size === 0) return
    const heldBy = (workspaceId: string) => this.#held.get(workspaceId) ?? 0
    const next = [...this.#waiting.keys()].reduce((best, other) => (heldBy(other) < heldBy(best) ? other : best))
    this.#free -= 1
    this.#held.set(next, heldBy(next) + 1)
    this.#waiting.get(next)![0]!.grant()
  }

  #release(workspaceId: string): void {
    this.#free += 1
    const held = this.#held.get(workspaceId)! - 1
    if (held > 0) this.#held.set(workspaceId, held)
    else this.#held.delete(workspaceId)
    this.#grantNext()
  }
}

const closed = () => new TransportClosed('The process is stopping')
const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))
