import { DriplineError } from './client.ts'

/** Idempotency keys of requests without a response yet. Such a request may have taken effect. */
const pendingKeys = new Map<string, { key: string; until: number }>()

/** Milliseconds in which an identical request counts as a retry. Afterwards it is a new request. */
const KEY_LIFETIME_MS = 2 * 60_000

/** Forgets all keys at sign-out: the next user's requests are new. */
export const clearPendingKeys = (): void => pendingKeys.clear()

/** Checks whether the server replayed the response of an earlier request whose response was lost. */
export const isReplay = (response: Response): boolean => response.headers.get('idempotent-replayed') === 'true'

/** Checks whether the request may have taken effect or should be retried with the same key. */
const mayHaveRun = (error: unknown): boolean =>
  error instanceof DriplineError &&
  (error.status === undefined || error.status >= 500 || [401, 409, 429].includes(error.status))

/**
 * Sends a request that takes effect once, even if the user submits it again before a response arrives or reopens the form.
 *
 * @param what identifies the request: everything it depends on
 * @param ask sends the request with the header
 */
export async function callOnce<Answer>(
  what: unknown,
  ask: (header: { 'Idempotency-Key': string }) => Promise<Answer>,
): Promise<Answer> {
  const call = JSON.stringify(what)
  const before = pendingKeys.get(call)
  const key = before && before.until > Date.now() ? before.key : crypto.randomUUID()
  pendingKeys.set(call, { key, until: Date.now() + KEY_LIFETIME_MS })
  try {
    const answer = await ask({ 'Idempotency-Key': key })
    pendingKeys.delete(call)
    return answer
  } catch (error) {
    if (!mayHaveRun(error)) pendingKeys.delete(call)
    throw error
  }
}
