import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import type { PoolClient } from 'pg'
import { CommitUnconfirmed, isStatementTimeout, MayHaveWaited } from './errors.ts'

/**
 * A session with Postgres that returns to the pool in a usable state or not at all. Its holder need not know how it failed: a
 * session is closed, and its slot in the pool freed immediately, if it was lost, if it may still run an abandoned statement, or
 * if it is returned in the middle of a transaction.
 *
 * Closing makes Postgres roll back and release its locks. A ROLLBACK is not reliable: it queues after a statement that stalls,
 * and it fails on a broken connection. The ORM's driver then keeps the slot forever.
 *
 * @see https://node-postgres.com/apis/pool#releasing-clients
 */
export class Session extends Client {
  #returnQuota: ((reason?: Error | boolean) => void) | undefined

  constructor(config?: ClientConfig) {
    super(config)
    this.once('end', () => this.#giveUp(new Error('Postgres connection closed')))
    // Without a listener the error would end the process. Pending queries report it themselves.
    this.on('error', (error) => this.#giveUp(error))
  }

  /** The pool sets it on each checkout, and expects exactly one call. */
  set release(returnQuota: PoolClient['release']) {
    this.#returnQuota = returnQuota
  }

  get release(): PoolClient['release'] {
    return (reason) => this.#return(reason || this.#unfit())
  }

  // The type of `query` has a dozen overloads; only the result matters here.
  override query = ((...args: unknown[]) => {
    // Statements of one turn are written together: each write wakes Postgres, and costs as much as a short statement.
    const stream = this.#stream
    stream.cork()
    process.nextTick(() => stream.uncork())
    const answer: unknown = (Client.prototype.query as (...args: unknown[]) => unknown).apply(this, args)
    if (!(answer instanceof Promise)) return answer
    return answer.catch((error: unknown) => {
      if (isStatementTimeout(error) && mayWait(args[0]))
        throw new MayHaveWaited((error as Error).message, { cause: error })
      if (wasAnswered(error)) throw error
      this.#giveUp(error as Error)
      throw isCommit(args[0]) ? new CommitUnconfirmed('Postgres did not confirm a COMMIT', { cause: error }) : error
    })
  }) as Client['query']

  /** Closes the session immediately, even during a statement. */
  abandon(reason: Error): void {
    this.#giveUp(reason)
  }

  #giveUp(reason: Error): void {
    // Destroys the socket, because a clean shutdown would wait for a server that does not respond.
    this.#stream.destroy()
    this.#return(reason)
  }

  get #stream(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream
  }

  #return(reason?: Error | boolean): void {
    const returnQuota = this.#returnQuota
    this.#returnQuota = undefined
    returnQuota?.(reason)
  }

  /** The reason why this session cannot be reused, if any. */
  #unfit(): Error | undefined {
    const { readyForQuery } = this as unknown as { readyForQuery: boolean }
    if (!readyForQuery) return new Error('The session is still busy with a statement')
    const { getTransactionStatus } = this as unknown as { getTransactionStatus?: () => string | null }
    const status = getTransactionStatus?.call(this)
    return status === 'I' || status == null ? undefined : new Error('The session is in the middle of a transaction')
  }
}

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown } | undefined)?.text)

const isCommit = (query: unknown): boolean => /^commit\b/i.test(textOf(query))

/** Returns whether a statement can wait for the lock of a row or a table: it changes rows, or locks them. */
const mayWait = (query: unknown): boolean =>
  /^\s*lock\b|\bfor (?:no key update|update|share|key share)\b|\b(?:insert into|update|delete from)\b/i.test(
    textOf(query),
  )

/** Returns whether an error is a response of Postgres: it has a SQLSTATE of five characters and a severity. */
const wasAnswered = (error: unknown): boolean =>
  error instanceof Error &&
  /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code)) &&
  'severity' in error &&
  // A session that Postgres ends gets the reason in the same form. No further response follows.
  !['FATAL', 'PANIC'].includes(String(error.severity))
