import { setHandler } from '@temporalio/workflow'
import { retryRequestedSignal, type RetryInput, type RetryResult } from '../src/automation-engine/index.ts'
import { retryMessage } from './activities.ts'

/**
 * Retries a message until it is final, in the sending queue and at its rate. The database decides what may be sent, and ensures
 * that it is sent once. A request that arrives during the retry is checked before the run ends, because Temporal does not
 * complete a run that has not seen a signal.
 */
export async function retry(input: RetryInput): Promise<RetryResult> {
  let requests = 0
  setHandler(retryRequestedSignal, () => void (requests += 1))
  for (;;) {
    const seen = requests
    const result = await retryMessage(input)
    if (requests === seen) return result
  }
}
