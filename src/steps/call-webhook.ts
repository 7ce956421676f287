import type { StoredStep } from '../automation-engine/index.ts'
import { finishRun, recordWait } from './queries.ts'
import type { RunStep } from './run-step.ts'

/** An HTTP request of a webhook. */
export interface WebhookRequest {
  workspaceId: string
  url: string
  method: string
  headers: Record<string, string>
  /** The JSON body as text; `null` for none. */
  body: string | null
  /** Identifies the request. It is the same for each attempt. */
  id: string
}

export type WebhookResponse =
  /** A response. `json` is its body, if that is JSON within the limit. */
  | { status: number; json: unknown }
  /** No response, or none within the limits. The text has no data of the contact. */
  | { problem: string; isPermanent: boolean }

export type SendRequest = (request: WebhookRequest) => Promise<WebhookResponse>

const MINUTE_MS = 60_000
/** Minutes until the next attempt, about three days in all. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 720, 1_440, 1_440]
/** Responses of the class 4xx that ask for another attempt. */
const TEMPORARY: readonly number[] = [408, 425, 429]

/**
 * Sends a webhook's request. A failed attempt is repeated after a durable timer, up to about three days; then the enrollment
 * continues without a response. A response of the class 4xx is final.
 */
export const callWebhook: RunStep<Extract<StoredStep, { type: 'WEBHOOK' }>> = async (
  { em, log, sendRequest },
  context,
  now,
) => {
  const { workspaceId, enrollmentId, step, until, attempts } = context
  // Woken early by a change of the automation.
  if (until && now < until) return { nextTransition: 'retry', until: until.getTime() }
  const attempt = (attempts ?? 0) + 1
  const response = await sendRequest({
    workspaceId,
    url: step.url,
    method: step.method,
    headers: step.headers,
    body: step.body === null ? null : JSON.stringify(step.body),
    id: `${enrollmentId}/${step.id}`,
  })
  const detail = {
    attempt,
    ...('status' in response ? { status: response.status } : { problem: response.problem }),
  }
  const isDone = 'status' in response && response.status >= 200 && response.status < 300
  const isFinal =
    'status' in response
      ? response.status >= 400 && response.status < 500 && !TEMPORARY.includes(response.status)
      : response.isPermanent
  const pause = RETRY_MINUTES[attempt - 1]
  if (!isDone && !isFinal && pause !== undefined) {
    log.warn({ enrollmentId, stepId: step.id, ...detail }, 'A webhook failed; it will be repeated')
    const next = new Date(now.getTime() + pause * MINUTE_MS)
    return (await recordWait(em.fork(), context, { until: next, detail }))
      ? { nextTransition: 'retry', until: next.getTime() }
      : undefined
  }
  const saved = isDone && step.saveAs !== null ? { saved: { as: step.saveAs, output: response.json } } : {}
  return finishRun(em.fork(), context, { result: { nextTransition: 'go-on' }, detail: { ...detail, isDone }, ...saved })
}
