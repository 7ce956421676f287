import type { EntityManager } from '../platform/db/orm.ts'
import { ApiError, type ErrorKind } from '../platform/api-error.ts'
import { endLease, storeResponse, type Attempt } from './idempotency-queries.ts'
import { responseToError, STATUSES } from './error-response.ts'
import type { OperationResponse } from './operation.ts'
import { KEY_IN_PROGRESS } from './errors.ts'

/** Errors that depend on more than the request: a repeated request may succeed. */
const TRANSIENT: ReadonlySet<ErrorKind> = new Set([
  'in-flight',
  'changed',
  'unauthenticated',
  'forbidden',
  'rate-limited',
])

/** One attempt at a request with an Idempotency-Key. It owns the key until its lease ends and another attempt takes over. */
export class IdempotentAttempt {
  readonly #attempt: Attempt
  /** True if an earlier attempt may have done part of the request. */
  readonly isRetry: boolean

  constructor(attempt: Attempt, isRetry: boolean) {
    this.#attempt = attempt
    this.isRetry = isRetry
  }

  /** The ID of the call: the same for each attempt at the request. */
  get id(): string {
    return this.#attempt.id
  }

  /**
   * Stores the response, in the transaction of the request's effect.
   *
   * @param isFinal whether nothing is left to do before the response is sent. Otherwise it is replayed only after `finish`.
   * @throws {ApiError} `idempotency_key_in_progress` if another attempt has taken over: the transaction is rolled back
   */
  async store(em: EntityManager, answer: OperationResponse, { isFinal }: { isFinal: boolean }): Promise<void> {
    if (!(await storeResponse(em, this.#attempt, answer, { isFinal }))) throw new ApiError(KEY_IN_PROGRESS)
  }

  /** Lets the stored response be replayed. */
  finish(em: EntityManager): Promise<void> {
    return endLease(em, this.#attempt, { hasResponse: true })
  }

  /**
   * Stores an error that every attempt would get. After any other error, the next attempt may begin immediately, unless the
   * effect is committed. In that case, the lease continues until the tasks after the commit are certainly done.
   */
  async fail(em: EntityManager, error: unknown): Promise<void> {
    const isFinal = error instanceof ApiError && !TRANSIENT.has(error.kind) && STATUSES[error.kind] < 500
    if (isFinal) await storeResponse(em, this.#attempt, responseToError(error), { isFinal })
    else await endLease(em, this.#attempt, { hasResponse: false })
  }
}
