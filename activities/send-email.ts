import { sendStep } from '../src/enrollments/index.ts'
import type { Patience, SendResult } from '../src/messages/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import { sendQueued } from './send-queued.ts'
import type { OfInstance } from './check-instance.ts'

export interface SendEmailInput extends OfInstance {
  enrollmentId: string
  workspaceId: string
  automationId: string
  stepId: string
  occurrence: number
}

/**
 * - go-on: the message is settled, and the sequence continues
 * - stop: it failed for good, and the automation ends a sequence at that
 * - paused: the automation is paused or a draft
 * - gone: the enrollment, the automation or the contact does not exist any more
 */
export interface SendEmailResult {
  next: 'go-on' | 'stop' | 'paused' | 'gone'
  /** When the message was settled, in milliseconds since 1970, where an earlier attempt did that. */
  finalAt?: number
}

/** Sends one step's email if a connection is free within a moment; `queue` where none is, or where anything went wrong. */
export async function sendEmailAtOnce(
  dependencies: ActivityDependencies,
  input: SendEmailInput,
): Promise<SendEmailResult | { next: 'queue' }> {
  const result = await send(dependencies, input, 'at-once')
  return result.kind === 'queue' || result.kind === 'deferred' || result.kind === 'changed'
    ? { next: 'queue' }
    : told(result)
}

/**
 * Sends one step's email when its turn has come. What is certainly not sent fails the attempt and is retried by Temporal for
 * as long as it takes; everything else is a result. The heartbeat tells Temporal within seconds that the process has died.
 */
export async function sendEmail(dependencies: ActivityDependencies, input: SendEmailInput): Promise<SendEmailResult> {
  const result = await sendQueued((patience) => send(dependencies, input, patience))
  return told(result)
}

const send = (dependencies: ActivityDependencies, input: SendEmailInput, patience: Patience) =>
  sendStep(dependencies, input, patience)

function told(result: Exclude<SendResult, { kind: 'queue' | 'deferred' | 'changed' }>): SendEmailResult {
  if (result.kind !== 'final') return { next: result.kind }
  return { next: result.stop ? 'stop' : 'go-on', ...(result.at && { finalAt: result.at.getTime() }) }
}
