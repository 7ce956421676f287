import { Client, type ClientConfig } from 'pg'
import type { PoolClient } from 'pg'

/**
 * A session with Postgres that is given back to the pool fit for the next one, or not at all. Whoever holds it need not
 * know how it failed: a session that was lost, that may still be busy with a statement nobody waits for any more, or that
 * comes back in the middle of a transaction, is closed, and its place in the pool is free again at that moment.
 *
 * Closing is what makes Postgres roll back and let go of its locks. A ROLLBACK can't be relied on: where a statement
 * stalls it queues behind it, and where the connection broke it fails, and the ORM's driver then keeps the place for ever.
 *
 * @see https://node-postgres.com/apis/pool#releasing-clients
 */
export class Session extends Client {
  #returnQuota: ((reason?: Error | boolean) => void) | undefined

  constructor(config?: ClientConfig) {
    super(config)
    this.once('end', () => this.#giveUp(new Error('The connection to Postgres ended')))
    // Without a listener it would end the process; what waits for an answer is told by itself.
    this.on('error', (error) => this.#giveUp(error))
  }

  /** The pool writes it at each checkout, and expects to be called exactly once. */
  set release(returnQuota: PoolClient['release']) {
    this.#returnQuota = returnQuota
  }

  get release(): PoolClient['release'] {
    return (reason) => this.#return(reason || this.#unfit())
  }

  // The type of `query` is a dozen overloads; only what it returns matters here.
  override query = ((...args: unknown[]) => {
    const answer: unknown = (Client.prototype.query as (...args: unknown[]) => unknown).apply(this, args)
    if (!(answer instanceof Promise)) return answer
    return answer.catch((error: unknown) => {
      if (!wasAnswered(error)) this.#giveUp(error as Error)
      throw error
    })
  }) as Client['query']

  /** Closes it at once, whatever it does. */
  abandon(reason: Error): void {
    this.#giveUp(reason)
  }

  #giveUp(reason: Error): void {
    // The socket goes first: a polite goodbye would wait for a server that does not answer.
    ;(this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    this.#return(reason)
  }

  #return(reason?: Error | boolean): void {
    const returnQuota = this.#returnQuota
    this.#returnQuota = undefined
    returnQuota?.(reason)
  }

  /** Why this session is not for the next one, if so. */
  #unfit(): Error | undefined {
    const { readyForQuery } = this as unknown as { readyForQuery: boolean }
    if (!readyForQuery) return new Error('The session is still busy with a statement')
    const { getTransactionStatus } = this as unknown as { getTransactionStatus?: () => string | null }
    const status = getTransactionStatus?.call(this)
    return status === 'I' || status == null ? undefined : new Error('The session is in the middle of a transaction')
  }
}

/** Whether an error is Postgres's own answer: it carries a SQLSTATE of five characters, and a severity. */
const wasAnswered = (error: unknown): boolean =>
  error instanceof Error &&
  /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code)) &&
  'severity' in error &&
  // A session that Postgres ends tells why, in the same form: what it says then is its last word.
  !['FATAL', 'PANIC'].includes(String(error.severity))
