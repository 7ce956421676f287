import { createHash } from 'node:crypto'
import {
  IDEMPOTENCY_HOURS,
  keepAnswer,
  releaseIdempotencyKey,
  takeIdempotencyKey,
} from '../db/queries/idempotency-keys.ts'
import { invalid, Refusal } from '../domain/errors.ts'
import { newId } from '../domain/ids.ts'
import { newCall, type Call } from '../services/call.ts'
import type { Dependencies } from '../services/dependencies.ts'
import { STATUSES } from './middleware/errors.ts'
import type { Answer } from './operation.ts'

export const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/

export interface IdempotentRequest {
  workspaceId: string
  requestId: string
  /** The header `Idempotency-Key`. */
  key: string | undefined
  method: string
  path: string
  rawBody: string
}

/**
 * Does a request once for each Idempotency-Key, for 24 hours: a repeated one gets the first one's answer. An attempt that
 * broke off is done again under the same call id, which is how services know what it has made already. Answers of 5xx
 * are not kept: those say "try again".
 *
 * @throws {Refusal} `other-request` (422) when the key came with another request; `in-flight` (409)
 */
export async function once(
  { em, log }: Dependencies,
  { workspaceId, requestId, key, method, path, rawBody }: IdempotentRequest,
  run: (call: Call) => Promise<Answer> | Answer,
): Promise<Answer & { replayed: boolean }> {
  if (key === undefined) return { ...(await run(newCall(requestId))), replayed: false }
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalid('Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID')
  }
  const fingerprint = createHash('sha256').update(`${method} ${path}\n${rawBody}`).digest()
  const taken = await takeIdempotencyKey(em.fork(), workspaceId, key, { id: newId(), fingerprint })
  if (taken.kind !== 'mine') {
    if (!taken.sameRequest) {
      throw new Refusal(
        'other-request',
        `This Idempotency-Key was used with another request in the last ${IDEMPOTENCY_HOURS} hours; use a new one`,
      )
    }
    if (taken.kind === 'in-flight') {
      throw new Refusal('in-flight', 'A request with this Idempotency-Key is still in hand; ask again in a moment')
    }
    return { status: taken.status, body: taken.body, replayed: true }
  }

  const { id, retried } = taken
  const keep = async (answer: Answer) => {
    try {
      const { status, body, contactId = null } = answer
      await keepAnswer(em.fork(), workspaceId, key, { id, status, body, contactId })
    } catch (error) {
      // What was asked is done; the next attempt finds it done.
      log.warn({ error }, 'The answer to a request with an Idempotency-Key could not be kept')
    }
  }
  try {
    const answer = await run({ id, retried, requestId })
    await keep(answer)
    return { ...answer, replayed: false }
  } catch (error) {
    if (error instanceof Refusal && STATUSES[error.code] < 500) {
      await keep({ status: STATUSES[error.code], body: { error: error.message } })
    } else {
      await releaseIdempotencyKey(em.fork(), workspaceId, key, id).catch(() => undefined)
    }
    throw error
  }
}
