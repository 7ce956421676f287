import { DriplineError, errorOf } from './error.js'

/** How a request is made. */
export interface FetchOptions {
  /** Milliseconds until an attempt is given up. */
  timeoutMs: number
  /** How often a request is made again that may succeed later. */
  retries: number
  /** Told what the service warns of, in whatever it answers last. */
  onWarning: (warning: string) => void
  /** What makes one attempt. */
  fetch: (request: Request) => Promise<Response>
}

/** What may be another answer later: over the limit, or something is not reachable, here or behind a proxy. */
const PASSING = new Set([429, 502, 503, 504])
/** Another attempt at the same request is at work. */
const STILL_SENDING = 'still_sending'
const IN_PROGRESS = 'idempotency_key_in_progress'
/** What the service has lost sight of, because it was killed, it takes for being in progress for 30 seconds. */
const MAX_IN_PROGRESS_MS = 60_000
/** Of many that wait for one limit, some wait for several of its minutes. */
const LIMITED = 'rate_limited'
const MAX_LIMITED_MS = 300_000
/** What one thing is, by an id that nobody else ever has. */
const ONE_BY_ID = /\/v\d+\/[a-z]+\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Pauses where the service names none: twice as long each time, in milliseconds, and never longer than that. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000
/** Longer than this nobody is waited for at a time: the service's own limit is one of a minute. */
const MAX_RETRY_AFTER_MS = 90_000

/**
 * Makes a request until it is answered for good. Every POST and PATCH carries an Idempotency-Key, its own or a new one, so that
 * one whose answer was lost is not done twice.
 *
 * @throws {DriplineError} for every answer but a success, and where there is none
 */
export async function fetchSafely(
  request: Request,
  { timeoutMs, retries, onWarning, fetch }: FetchOptions,
): Promise<Response> {
  if (['POST', 'PATCH'].includes(request.method) && !request.headers.has('Idempotency-Key')) {
    request.headers.set('Idempotency-Key', crypto.randomUUID())
  }
  /** Whether it may have been done by an attempt that did not say so. */
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
        // It ends, and soon: that uses up no retry.
        await pause(Math.max(retryAfterMs(outcome.headers) ?? 0, FIRST_PAUSE_MS), request.signal)
        continue
      }
    }
    if (outcome.headers.get('x-error-code') === LIMITED && retries > 0) {
      limitedSince ??= performance.now()
      if (performance.now() - limitedSince > MAX_LIMITED_MS) throw await errorOf(outcome)
      // Nothing has failed: it is a matter of time. Not all at once when it is over.
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
      if (outcome.ok) throw notDriplines(request, outcome)
      // It is gone by that one.
      if (isDone && request.method === 'DELETE' && outcome.status === 404) return new Response(null, { status: 204 })
      throw await errorOf(outcome)
    }
    // It is done, and only waits for what was on its way already; or who was between has lost what came of it.
    isDone ||= outcome.headers.get('x-error-code') === STILL_SENDING || [502, 504].includes(outcome.status)
    // Not sooner than it says, and later each time: what is in its way can last longer than the service thinks.
    await pause(Math.max(retryAfterMs(outcome.headers) ?? 0, pauseMs(failures)), request.signal)
    failures += 1
  }
}

/** What commands a terminal: whoever answers has no business with that. */
// eslint-disable-next-line no-control-regex -- those are meant
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g

/** Whatever the service answers is JSON, or nothing. */
const isAnswer = ({ ok, status, headers }: Response): boolean =>
  ok && (status === 204 || /json/i.test(headers.get('content-type') ?? ''))

/** Of a proxy, or another server: a page that says "200". */
const notDriplines = (request: Request, { status }: Response): DriplineError =>
  new DriplineError(`${new URL(request.url).origin} answered ${status} with no JSON: is baseUrl that of Dripline?`, {
    status,
    code: 'no_json',
  })

/** Without whom it is about, where that is a name: a console is no place for it. */
const pathOf = ({ url }: Request): string => new URL(url).pathname.replace(/(email|external)(?::|%3A)[^/]*/gi, '$1:…')

/** Of what the service says that it has not begun it; all else, and what a proxy says, may have been done. */
const NOT_BEGUN = new Set<string | null>(['rate_limited', 'busy'])
const isUndone = ({ headers }: Response): boolean => NOT_BEGUN.has(headers.get('x-error-code'))

/**
 * Whether a request may be made again that may have been done. A DELETE has no key: of what came again under the same name meanwhile,
 * such as a new sign-up with that address, it would take another one away.
 */
const mayRepeat = ({ method, url }: Request): boolean => method !== 'DELETE' || ONE_BY_ID.test(new URL(url).pathname)

/** @returns the answer, or why there is none. What the caller has given up is thrown. */
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
      ? new DriplineError(`No answer within ${timeoutMs} ms`, { code: 'timeout', cause })
      : new DriplineError(`${new URL(request.url).origin} cannot be reached${reasonOf(cause)}`, {
          code: 'network_error',
          cause,
        })
  }
}

/** Such as ` (ECONNREFUSED)`: fetch itself says no more than that it failed. */
function reasonOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}

/** Read to its end here, where one that breaks off or takes too long is no answer. */
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

/** Of many clients that were refused at once, each comes again at another time. */
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
