import { retryMessage as retry } from '../src/messages/index.ts'
import type { RetryInput, RetryResult } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import { sendQueued } from './send-queued.ts'

/** Retries a message as requested, in its turn. */
export async function retryMessage(
  dependencies: ActivityDependencies,
  { messageId }: RetryInput,
): Promise<RetryResult> {
  const result = await sendQueued((patience) => retry(dependencies, messageId, patience))
  return { status: result.kind === 'final' ? result.status : null }
}
