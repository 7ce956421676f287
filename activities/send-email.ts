import { activityInfo, ApplicationFailure, Context, heartbeat } from '@temporalio/activity'
import { sendMessage } from '../src/services/send-message.ts'
import type { ActivityDependencies } from './dependencies.ts'

export interface SendEmailInput {
  enrollmentId: string
  automationId: string
  stepId: string
  visit: number
}

/**
 * - go-on: the message is settled, and the sequence continues
 * - stop: it failed for good, and the automation ends a sequence at that
 * - held: the automation is paused or a draft
 * - gone: the enrollment, the automation or the contact does not exist any more
 */
export interface SendEmailResult {
  next: 'go-on' | 'stop' | 'held' | 'gone'
}

/**
 * Sends one step's email. What is certainly not sent fails the attempt and is retried by Temporal for as long as it
 * takes; everything else is a result. The heartbeat tells Temporal within seconds that the process has died.
 */
export async function sendEmail(dependencies: ActivityDependencies, input: SendEmailInput): Promise<SendEmailResult> {
  const { heartbeatTimeoutMs } = activityInfo()
  const beat = setInterval(heartbeat, heartbeatTimeoutMs === undefined ? 5_000 : heartbeatTimeoutMs / 3)
  try {
    const { automationId, ...key } = input
    const result = await sendMessage(dependencies, key, automationId, Context.current().cancellationSignal)
    switch (result.kind) {
      case 'settled':
        return { next: result.stop ? 'stop' : 'go-on' }
      case 'held':
      case 'gone':
        return { next: result.kind }
      case 'deferred':
        // The server's words can hold an address, and histories hold none: they are in the ledger.
        throw ApplicationFailure.retryable(
          'The mail server did not take the message; it will be tried again',
          'Deferred',
        )
    }
  } finally {
    clearInterval(beat)
  }
}
