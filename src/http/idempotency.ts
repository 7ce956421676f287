import { DONE_FOR_ERASED, KEY_IN_PROGRESS, KEY_USED_OTHERWISE, INVALID_IDEMPOTENCY_KEY } from './refusals.ts'
import { createHash } from 'node:crypto'
import type { EntityManager } from '../platform/db/orm.ts'
import {
  keepAnswer,
  keepPromise,
  noteDone,
  releaseIdempotencyKey,
  takeIdempotencyKey,
  type Attempt,
} from './idempotency-queries.ts'
import { Refusal, type RefusalKind } from '../platform/refusal.ts'
import { newId } from '../platform/ids.ts'
import { newCall, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'
import { answerTo, STATUSES } from './middleware/errors.ts'
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
  /** Whether the caller may read what it writes: the answer can depend on it. */
  mayRead: boolean
  /** Whether the caller may learn which contact a name is of: who may not is told nothing by another one's answer. */
  knowsNames: boolean
  /** Who asks, where it is about them: two people who say the same do not have the same done. */
  person?: string
  /** That whoever asks may still do so. @throws {Refusal} why not */
  assertStill: (em: EntityManager) => Promise<void>
  /** Whether it is to change something. */
  changes: boolean
  /** Whether all that the request does is in Postgres: then it is done, and its answer kept, in one transaction. */
  transactional: boolean
  /**
   * Makes the body anew of what is too large to be kept: a short change of something large would fill the disk.
   * @param about the call's id, and the contact that it was about
   */
  remake?: (about: { id: string; contactId: string | null }) => Promise<unknown>
}

/** A body that is longer than this as JSON is not kept where it can be made anew. */
const KEPT_LENGTH = 32 * 1024

/** What a request does, once all is checked that needs nothing of Postgres. */
type Run<Given> = (call: Call, dependencies: Given) => Promise<Answer> | Answer

/** Checks a request, for as long as that takes, and says what it does. */
export type Prepare<Given> = () => Promise<Run<Given>>

/**
 * Does a request once for each Idempotency-Key, for 24 hours: a repeated one gets the first one's answer. What a request
 * does in Postgres and its answer are one transaction, so that there is never one without the other; what it does elsewhere
 * is done again under the same call id, which is how services know what it has made already. Answers of 5xx are not kept:
 * those say "try again".
 *
 * What a request is checked by comes before its transaction: trying a template can take seconds, and whoever holds a session
 * of the pool meanwhile keeps it from everybody else.
 *
 * @throws {Refusal} `other-request` (422) when the key came with another request; `in-flight` (409); `erased` (410) when
 *   the request was done for a contact who has been erased since
 */
export async function doOnce<Given extends Dependencies>(
  dependencies: Given,
  request: IdempotentRequest,
  prepare: Prepare<Given>,
): Promise<Answer & { replayed: boolean }> {
  const { workspaceId, requestId, key, method, path, rawBody, mayRead, knowsNames, person, changes, transactional } =
    request
  if (key === undefined) {
    const run = await prepare()
    const call = newCall(requestId)
    const answer =
      changes && transactional ? await inOneTransaction(dependencies, call, run) : await run(call, dependencies)
    return { ...answer, replayed: false }
  }
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new Refusal(INVALID_IDEMPOTENCY_KEY)
  }
  const { em } = dependencies
  const names = knowsNames ? '' : ' nameless'
  const of = person === undefined ? '' : ` ${person}`
  const fingerprint = createHash('sha256').update(`${method} ${path} ${mayRead}${names}${of}\n${rawBody}`).digest()
  const taken = await takeIdempotencyKey(em.fork(), workspaceId, key, { id: newId(), fingerprint })
  if (taken.kind === 'mine') return doTaken(dependencies, request, { ...taken, workspaceId, key }, prepare)
  if (taken.kind === 'erased') throw new Refusal(DONE_FOR_ERASED)
  if (!taken.sameRequest) {
    throw new Refusal(KEY_USED_OTHERWISE)
  }
  if (taken.kind === 'in-flight') throw inProgress()
  const { status, headers, body } = taken
  // To come to it may have taken long.
  await request.assertStill(em.fork())
  return { status, headers, body: body ?? (await request.remake?.(taken)), replayed: true }
}

/** What waits until a call is committed. */
async function doWhatFollows(call: Call): Promise<void> {
  for (const task of call.afterCommit) await task()
}

/** What it does, and what is told of it, is done or not done. */
async function inOneTransaction<Given extends Dependencies>(
  dependencies: Given,
  call: Call,
  run: Run<Given>,
): Promise<Answer> {
  const answer = await dependencies.em
    .fork()
    .transactional((unit) => Promise.resolve(run(call, { ...dependencies, em: unit })))
  await doWhatFollows(call)
  return answer
}

async function doTaken<Given extends Dependencies>(
  dependencies: Given,
  { requestId, transactional, remake }: IdempotentRequest,
  attempt: Attempt & { retried: boolean },
  prepare: Prepare<Given>,
): Promise<Answer & { replayed: boolean }> {
  const { em, log } = dependencies
  const call: Call = {
    ...newCall(requestId),
    id: attempt.id,
    retried: attempt.retried,
    doPartOnce: doPartOnce(attempt),
  }
  const kept = (answer: Answer): Answer =>
    remake && JSON.stringify(answer.body).length > KEPT_LENGTH ? { ...answer, body: null } : answer
  try {
    const run = await prepare()
    const answer = transactional
      ? await em.fork().transactional(async (unit) => {
          const done = await run(call, { ...dependencies, em: unit })
          // Another attempt has taken over: what this one did is undone.
          if (!(await keep(unit, attempt, kept(done), call.isPromised))) throw inProgress()
          return done
        })
      : await run(call, dependencies)
    await doWhatFollows(call)
    // Else it is kept by itself, some seconds later.
    if (transactional && call.isPromised) await keepPromise(em.fork(), attempt).catch(() => undefined)
    if (!transactional) {
      // What was asked is done; the next attempt finds it done.
      const warn = (error: unknown) =>
        log.warn({ error }, 'The answer to a request with an Idempotency-Key was not kept')
      await keep(em.fork(), attempt, kept(answer)).catch(warn)
    }
    return { ...answer, replayed: false }
  } catch (error) {
    const refused = error instanceof Refusal && !PASSING.has(error.kind) && STATUSES[error.kind] < 500
    const after = refused ? keep(em.fork(), attempt, answerTo(error)) : releaseIdempotencyKey(em.fork(), attempt)
    await after.catch(() => undefined)
    throw error
  }
}

/** What is refused for what the request alone does not say: who may, how often, and what was read before. Repeated, it may be done. */
const PASSING: ReadonlySet<RefusalKind> = new Set([
  'in-flight',
  'changed',
  'unauthenticated',
  'forbidden',
  'rate-limited',
])

const keep = (
  em: EntityManager,
  attempt: Attempt,
  { status, headers = {}, body, contactId = null }: Answer,
  isPromised = false,
): Promise<boolean> => keepAnswer(em, attempt, { status, headers, body, contactId, isPromised })

/** Does a part of a call in a transaction that notes it as done. */
const doPartOnce =
  (attempt: Attempt): Call['doPartOnce'] =>
  (part, em, run) =>
    em.transactional(async (unit) => {
      const noted = await noteDone(unit, attempt, part)
      if (noted === 'overtaken') throw inProgress()
      if (noted === 'noted') await run(unit)
    })

const inProgress = () => new Refusal(KEY_IN_PROGRESS)
