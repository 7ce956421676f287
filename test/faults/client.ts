import { setTimeout as delay } from 'node:timers/promises'

export interface Answer {
  status: number
  body: { data: Record<string, unknown>; error?: string }
  /** The error code, which does not depend on the message. */
  code: string | null
  /** Time at which the response was read, in milliseconds since 1970. */
  at: number
}

/** A permanent rejection of a request. */
export class Refused extends Error {
  readonly status: number

  constructor(method: string, path: string, { status, body }: Answer) {
    super(`${method} ${path} was rejected: ${status} ${body.error}`)
    this.status = status
  }
}

/**
 * A client of the service that follows its rules: it sends an unacknowledged request again, with the same key, to another API.
 */
export class Client {
  /** Number of repeated requests, because they were not acknowledged. */
  repeats = 0
  /** Responses with status 500, which no fault excuses. */
  serverErrors: string[] = []
  private calls = 0
  private readonly apis: readonly string[]

  constructor(apis: readonly string[]) {
    this.apis = apis
  }

  /** Makes one attempt. @returns `undefined` if there was no response */
  async once(
    key: string,
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
    api = this.apis[this.calls % this.apis.length]!,
  ): Promise<Answer | undefined> {
    try {
      const response = await fetch(`${api}/api/v1${path}`, {
        method,
        signal: AbortSignal.timeout(15_000),
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const code = response.headers.get('x-error-code')
      const answer = { status: response.status, body: (await response.json()) as Answer['body'], code, at: Date.now() }
      if (answer.status === 500) this.serverErrors.push(`${method} ${path}: ${answer.body.error}`)
      return answer
    } catch {
      return undefined
    }
  }

  /** Repeats a request until it is acknowledged. @throws {Refused} */
  async ask(
    key: string,
    method: string,
    path: string,
    body?: object,
    idempotencyKey = this.newIdempotencyKey(),
  ): Promise<Answer> {
    const mine = (this.calls += 1)
    const repeatable = method === 'POST' || method === 'PATCH'
    for (let attempt = 0; ; attempt += 1) {
      const api = this.apis[(mine + attempt) % this.apis.length]
      const answer = await this.once(key, method, path, body, repeatable ? idempotencyKey : undefined, api)
      if (answer && answer.status < 300) return answer
      // A DELETE that was carried out and whose response was lost finds nothing the second time.
      if (answer && method === 'DELETE' && answer.status === 404 && attempt > 0) return answer
      // A finished campaign cannot be paused, nor a sent email cancelled, no matter how often that is requested.
      const isOver = answer?.code === 'campaign_status_wrong' || answer?.code === 'email_not_cancellable'
      if (answer && answer.status < 500 && (answer.status !== 409 || isOver)) throw new Refused(method, path, answer)
      this.repeats += 1
      await delay(100 + Math.min(attempt, 20) * 50)
    }
  }

  newIdempotencyKey(): string {
    return `call-${process.pid}-${(this.keys += 1)}`
  }
  private keys = 0
}
