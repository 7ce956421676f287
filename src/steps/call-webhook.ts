import type { StepResult, StoredStep } from '../automation-engine/index.ts'
import { canSend } from '../automation-engine/index.ts'
import { lockAutomationsShared } from '../automations/index.ts'
import { lockContactsShared } from '../contacts/index.ts'
import { lockEnrollments } from '../enrollments/index.ts'
import { findJsonFault } from '../platform/json.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readRetryAfter } from '../platform/retry-after.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { RendererBusy } from '../rendering/index.ts'
import { beginAttempt, finishRun, recordWait, type StepContext } from './queries.ts'
import { renderRequest } from './render-request.ts'
import { ContextChanged, type RunStep } from './runner.ts'
import type { WebhookResponse } from './send-request.ts'
import { readSigningSecrets } from './signing-secret.ts'

type StoredWebhook = Extract<StoredStep, { type: 'WEBHOOK' }>
type WebhookContext = StepContext & { step: StoredWebhook }

const MINUTE_MS = 60_000
/** Minutes until the next attempt, about three days in all. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 720, 1_440, 1_440]
/** The part of a pause that is added at random, so that many enrollments do not call a server at the same time. */
const JITTER = 0.1
/** The longest time that a server can ask for with Retry-After. */
const MAX_RETRY_AFTER_MS = 24 * 60 * MINUTE_MS
/** Responses of the class 4xx that ask for another attempt. */
const TEMPORARY: readonly number[] = [408, 425, 429]
/** Milliseconds until another worker may be able to render or sign the request. */
const ELSEWHERE_RETRY_MS = 10_000

/**
 * Sends a webhook's request. A failed attempt is repeated after a durable timer, up to about three days; then the enrollment
 * continues without a response. A response of the class 4xx, or a template that cannot be rendered, is final.
 */
export const callWebhook: RunStep<StoredWebhook> = async (dependencies, context, { now }) => {
  const { em, log, renderer, secrets, sendRequest } = dependencies
  const { workspaceId, enrollmentId, step, until } = context
  // Woken early by a change of the automation.
  if (until && now < until) return { next: 'retry', until: until.getTime() }
  let request
  try {
    request = await renderRequest({ em, renderer }, context)
    if ('problem' in request) {
      // The problem can repeat the contact's data, which must not be logged.
      log.warn(
        { enrollmentId, stepId: step.id },
        'A template of a webhook cannot be rendered; see its run for the reason',
      )
      return await finishRun(em.fork(), context, {
        result: { next: 'continue' },
        detail: { problem: `Template error in ${request.problem}`.slice(0, MAX_PROBLEM_LENGTH), isDone: false },
      })
    }
    request = { ...request, secrets: await readSigningSecrets(em.fork(), secrets, workspaceId) }
  } catch (error) {
    if (!(error instanceof NoSecretsKey || error instanceof RendererBusy)) throw error
    log.warn({ enrollmentId, stepId: step.id, reason: error.message }, 'A webhook waits for a worker that can send it')
    return { next: 'retry', until: now.getTime() + ELSEWHERE_RETRY_MS }
  }
  const attempt = await claimAttempt(em.fork(), context)
  // Paused, ended or deleted in the meantime.
  if (attempt === undefined) return { next: 'retry', until: now.getTime() }
  const { url, method, saveAs } = step
  const id = `${enrollmentId}_${step.id}`
  const response = await sendRequest({ url, method, ...request, id, readsBody: saveAs !== null })
  return record(dependencies, context, { now, attempt, response })
}

const MAX_PROBLEM_LENGTH = 500

/**
 * Begins an attempt, if the webhook may still be sent.
 *
 * Race: a pause, a deletion, an erasure or the end of the enrollment against an attempt that has read that it is active. Guard:
 * the attempt shares the locks of the automation and the contact and takes the enrollment's, and whatever stops it takes one of
 * them exclusively. Test: test/steps/webhook.test.ts.
 *
 * @returns the number of the attempt; `undefined` if the webhook must not be sent
 */
const claimAttempt = (em: EntityManager, context: WebhookContext): Promise<number | undefined> =>
  em.transactional(async (unit) => {
    const { automationId, contactId, enrollmentId } = context
    const automation = (await lockAutomationsShared(unit, [automationId])).get(automationId)
    const contact = (await lockContactsShared(unit, [contactId])).get(contactId)
    const enrollment = (await lockEnrollments(unit, [enrollmentId])).get(enrollmentId)
    if (automation === undefined || !canSend(automation) || !contact || enrollment?.status !== 'ACTIVE')
      return undefined
    return beginAttempt(unit, context)
  })

async function record(
  { em, log }: Parameters<RunStep<StoredWebhook>>[0],
  context: WebhookContext,
  { now, attempt, response }: { now: Date; attempt: number; response: WebhookResponse },
): Promise<StepResult> {
  const { enrollmentId, step } = context
  const detail = {
    attempt,
    status: 'status' in response ? response.status : null,
    problem: 'problem' in response ? response.problem : null,
  }
  const isDone = 'status' in response && response.status >= 200 && response.status < 300
  const pause = isDone || isFinal(response) ? undefined : pauseAfter(attempt, response, now)
  if (pause !== undefined) {
    log.warn({ enrollmentId, stepId: step.id, ...detail }, 'A webhook failed; it will be repeated')
    const next = new Date(now.getTime() + pause)
    const isWaiting = await recordWait(em.fork(), context, { until: next, detail })
    // Another attempt has finished the step.
    if (!isWaiting) throw new ContextChanged()
    return { next: 'retry', until: next.getTime() }
  }
  if (!isDone) log.warn({ enrollmentId, stepId: step.id, ...detail }, 'A webhook failed; the enrollment continues')
  const read = isDone && step.saveAs !== null ? readJson(response.text) : undefined
  return finishRun(em.fork(), context, {
    result: { next: 'continue' },
    detail: { ...detail, ...(read && 'problem' in read && { problem: read.problem }), isDone },
    ...(read && 'json' in read && { saved: { as: step.saveAs!, output: read.json } }),
  })
}

/** Returns whether another attempt would fail, too. */
const isFinal = (response: WebhookResponse): boolean =>
  'status' in response
    ? response.status >= 400 && response.status < 500 && !TEMPORARY.includes(response.status)
    : response.isPermanent

/** Milliseconds until the next attempt: not before the server asks for it. @returns `undefined` after the last one */
function pauseAfter(attempt: number, response: WebhookResponse, now: Date): number | undefined {
  const minutes = RETRY_MINUTES[attempt - 1]
  if (minutes === undefined) return undefined
  const asked = 'retryAfter' in response ? readRetryAfter(response.retryAfter, now) : 0
  return Math.max(minutes * MINUTE_MS * (1 + Math.random() * JITTER), Math.min(asked, MAX_RETRY_AFTER_MS))
}

/** Reads the response to be saved. Without JSON that the database can store, nothing is saved. */
function readJson(text: string | null): { json: unknown } | { problem: string } {
  if (text === null) return { problem: 'The response is larger than 64 KB, and is not saved' }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problem: 'The response is not JSON, and is not saved' }
  }
  // The fault names keys of the response, which can be personal data.
  return findJsonFault(json) === undefined
    ? { json }
    : { problem: 'The response has a value that cannot be stored, and is not saved' }
}
