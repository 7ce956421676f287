import { DriplineError } from './client.ts'

/** What was asked for, and nobody has answered yet, with its Idempotency-Key: the answer may be lost, and it be done. */
const pendingKeys = new Map<string, { key: string; until: number }>()

/** How long whoever asks for the same means the same, in milliseconds: later they know what became of it, and may want it once more. */
const KEY_LIFETIME_MS = 2 * 60_000

/** Whoever signs in next means something of their own. */
export const clearPendingKeys = (): void => pendingKeys.clear()

/** Whether an answer is one that was given before: to a press whose answer was lost. */
export const isReplay = (response: Response): boolean => response.headers.get('idempotent-replayed') === 'true'

/** Whether nobody knows what became of it, or whoever asks again means the same. */
const mayHaveRun = (error: unknown): boolean =>
  error instanceof DriplineError &&
  (error.status === undefined || error.status >= 500 || [401, 409, 429].includes(error.status))

/**
 * Asks for something that is done once, however often it is pressed until somebody answers, also where the form was closed meanwhile.
 *
 * @param what is asked, whole
 * @param ask is given the header that says so
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
