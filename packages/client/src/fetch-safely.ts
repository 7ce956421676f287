import { DriplineError, errorOf } from './error.js'

/** Options for timeouts, retries and warnings. */
export interface FetchOptions {
  /** Timeout of an attempt in milliseconds. */
  timeoutMs: number
  /** Maximum number of retries of a request that may succeed later. */
  retries: number
  /** Called with the warning of the final response. */
  onWarning: (warning: string) => void
  /** Makes one attempt. */
  fetch: (request: Request) => Promise<Response>
}

/** Statuses of temporary failures: over the limit, or something is unreachable, in the service or behind a proxy. */
const PASSING = new Set([429, 502, 503, 504])
/** Another attempt at the same request is running. */
const STILL_SENDING = 'still_sending'
const IN_PROGRESS = 'idempotency_key_in_progress'
/** After a crash, the service considers a request to be in progress for 30 seconds. */
const MAX_IN_PROGRESS_MS = 60_000
/** If many requests wait for one limit, some wait for several of its minutes. */
const LIMITED = 'rate_limited'
const MAX_LIMITED_MS = 300_000
/** The path of one resource, with an ID that is never reused. */
const ONE_BY_ID = /\/v\d+\/[a-z]+\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Pauses if the service specifies none: doubled each time, in milliseconds, up to the maximum. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000
/** Maximum wait for `Retry-After`: the service's own limit counts per minute. */
const MAX_RETRY_AFTER_MS = 90_000

/**
 * Repeats a request until it has a final response. Every POST and PATCH has an Idempotency-Key, its own or a new one, so that a
 * request whose response was lost takes effect only once.
 *
 * @throws {DriplineError} for every unsuccessful response, and if there is none
 */
export async function fetchSafely(
  request: Request,
  { timeoutMs, retries, onWarning, fetch }: FetchOptions,
): Promise<Response> {
  if (['POST', 'PATCH'].includes(request.method) && !request.headers.has('Idempotency-Key')) {
    request.headers.set('Idempotency-Key', crypto.randomUUID())
  }
  /** Whether an attempt without a conclusive response may have taken effect. */
  let isDone = false
  let inProgressSince: number | undefined
  let limitedSince: number | undefined
  for (let failures = 0; ;) {
    const outcome = await tryOnce(request, timeoutMs, fetch)
    if (outcome instanceof DriplineError) {
      if (failures >= retries || !mayRepeat(request)) throw outcome
      isDone = true
      await pause(pauseMs(failures), request.signal)
      failures += 1
      continue
    }
    if (outcome.headers.get('x-error-code') === IN_PROGRESS && retries > 0) {
      inProgressSince ??= performance.now()
      if (performance.now() - inProgressSince < MAX_IN_PROGRESS_MS) {
        // The other attempt ends soon: this uses up no retry.
        await pause(Math.max(retryAfterMs(outcome.headers) ?? 0, FIRST_PAUSE_MS), request.signal)
        continue
      }
    }
    if (outcome.headers.get('x-error-code') === LIMITED && retries > 0) {
      limitedSince ??= performance.now()
      if (performance.now() - limitedSince > MAX_LIMITED_MS) throw await errorOf(outcome)
      // The request did not fail, and only has to wait. Clients retry at different times.
      await pause((retryAfterMs(outcome.headers) ?? 0) + pauseMs(2), request.signal)
      continue
    }
    if (
      outcome.ok ||
      failures >= retries ||
      !PASSING.has(outcome.status) ||
      !(isUndone(outcome) || mayRepeat(request))
    ) {
      const warning = outcome.headers.get('x-warning')
      if (warning !== null) onWarning(`${request.method} ${pathOf(request)}: ${warning.replace(CONTROLS, ' ')}`)
      if (isAnswer(outcome)) return outcome
      if (outcome.ok) throw noJsonError(request, outcome)
      // The earlier attempt deleted it.
      if (isDone && request.method === 'DELETE' && outcome.status === 404) return new Response(null, { status: 204 })
      throw await errorOf(outcome)
    }
    // The request took effect and only waits for emails in flight; or a proxy lost its result.
    isDone ||= outcome.headers.get('x-error-code') === STILL_SENDING || [502, 504].includes(outcome.status)
    // Waits at least as long as the service specifies, and longer each time: the cause can last longer than the service expects.
    await pause(Math.max(retryAfterMs(outcome.headers) ?? 0, pauseMs(failures)), request.signal)
    failures += 1
  }
}

/** Control characters, which a server could use to command a terminal. */
// eslint-disable-next-line no-control-regex -- those are meant
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g

/** Dripline responds with JSON or without a body. */
const isAnswer = ({ ok, status, headers }: Response): boolean =>
  ok && (status === 204 || /json/i.test(headers.get('content-type') ?? ''))

/** Creates the error for a response of a proxy or another server, such as an HTML page with status 200. */
const noJsonError = (request: Request, { status }: Response): DriplineError =>
  new DriplineError(
    `${new URL(request.url).origin} returned ${status} without JSON. Check that baseUrl is that of Dripline.`,
    {
      status,
      code: 'no_json',
    },
  )

/** Returns the path without personal data (email addresses and external IDs), which do not belong on a console. */
const pathOf = ({ url }: Request): string => new URL(url).pathname.replace(/(email|external)(?::|%3A)[^/]*/gi, '$1:…')

/**
 * Codes that prove that the service did not begin the request. Any other response, and that of a proxy, may mean that it took
 * effect.
 */
const NOT_BEGUN = new Set<string | null>(['rate_limited', 'busy'])
const isUndone = ({ headers }: Response): boolean => NOT_BEGUN.has(headers.get('x-error-code'))

/**
 * Returns whether a request that may have taken effect can be repeated. A DELETE has no key: if a resource was created again
 * under the same name, such as a new sign-up with the same address, it would delete the new one.
 */
const mayRepeat = ({ method, url }: Request): boolean => method !== 'DELETE' || ONE_BY_ID.test(new URL(url).pathname)

/** @returns the response, or why there is none. An abort by the caller is thrown */
async function tryOnce(
  request: Request,
  timeoutMs: number,
  fetch: FetchOptions['fetch'],
): Promise<Response | DriplineError> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(
      new Request(request.clone(), { redirect: 'manual', signal: AbortSignal.any([request.signal, timeout]) }),
    )
    return await whole(response)
  } catch (cause) {
    request.signal.throwIfAborted()
    return timeout.aborted
      ? new DriplineError(`No response within ${timeoutMs} ms`, { code: 'timeout', cause })
      : new DriplineError(`${new URL(request.url).origin} cannot be reached${reasonOf(cause)}`, {
          code: 'network_error',
          cause,
        })
  }
}

/** Returns the cause, such as ` (ECONNREFUSED)`: fetch itself only reports that it failed. */
function reasonOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}

/** Reads the whole body: a response that breaks off or takes too long counts as none. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(await response.arrayBuffer(), { status, statusText, headers })
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function retryAfterMs(headers: Headers): number | undefined {
  const given = headers.get('retry-after')
  if (given === null) return undefined
  const seconds = Number(given)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined
}

/** Returns a random pause, so that clients that were rejected at once retry at different times. */
const pauseMs = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + Math.random() / 2)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
