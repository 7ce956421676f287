import { recordRejection } from '../src/bounces/index.ts'
import { sendStep } from '../src/enrollments/index.ts'
import type { WaitLimit, SendResult } from '../src/messages/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import { sendQueued } from './send-queued.ts'
import type { InstanceRef } from './check-instance.ts'

export interface SendEmailInput extends InstanceRef {
  enrollmentId: string
  workspaceId: string
  automationId: string
  stepId: string
}

/**
 * The next action of a sequence after its email:
 * - continue: the message is final, and the sequence continues
 * - stop: it failed permanently, and the automation ends enrollments in this case
 * - paused: the automation is paused or a draft
 * - gone: the enrollment, the automation or the contact no longer exists
 */
export interface SendEmailResult {
  next: 'continue' | 'stop' | 'paused' | 'gone'
  /** When the message became final, in milliseconds since 1970, if an earlier attempt did that. */
  finalAt?: number
}

/** Sends one step's email if a connection is free within a moment. Returns `queue` if none is, or on any error. */
export async function sendEmailAtOnce(
  dependencies: ActivityDependencies,
  input: SendEmailInput,
): Promise<SendEmailResult | { next: 'queue' }> {
  const result = await send(dependencies, input, 'at-once')
  return result.kind === 'queue' || result.kind === 'deferred' || result.kind === 'changed'
    ? { next: 'queue' }
    : toResult(result)
}

/**
 * Sends one step's email in its turn. If it was certainly not sent, the attempt fails and Temporal retries it without limit.
 * Everything else is a result. The heartbeat lets Temporal notice within seconds that the process died.
 */
export async function sendEmail(dependencies: ActivityDependencies, input: SendEmailInput): Promise<SendEmailResult> {
  const result = await sendQueued((patience) => send(dependencies, input, patience))
  return toResult(result)
}

async function send(dependencies: ActivityDependencies, input: SendEmailInput, patience: WaitLimit) {
  const result = await sendStep(dependencies, input, patience)
  if (result.kind === 'final' && result.rejectedId !== undefined)
    await recordRejectionAtOnce(dependencies, result.rejectedId)
  return result
}

/**
 * Records the bounce of an email that the mail server rejected before the next step, which may follow at once, mails the same address.
 * If that fails, the job that was enqueued with the outcome does it.
 */
async function recordRejectionAtOnce(dependencies: ActivityDependencies, messageId: string): Promise<void> {
  try {
    await recordRejection(dependencies, messageId)
  } catch (error) {
    dependencies.log.warn({ error, messageId }, 'A rejection could not be recorded at once; a job repeats it')
  }
}

function toResult(result: Exclude<SendResult, { kind: 'queue' | 'deferred' | 'changed' }>): SendEmailResult {
  if (result.kind !== 'final') return { next: result.kind }
  return { next: result.stop ? 'stop' : 'continue', ...(result.at && { finalAt: result.at.getTime() }) }
}
