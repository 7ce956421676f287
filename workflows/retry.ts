import { setHandler } from '@temporalio/workflow'
import { askedSignal, type RetryInput, type RetryResult } from '../src/automation-engine/index.ts'
import { retryMessage } from './activities.ts'

/**
 * Retries a message until it is final, in the sending queue and at its rate. The database decides what may be sent, and ensures
 * that it is sent once. A request that arrives during the retry is checked before the run ends, because Temporal does not
 * complete a run that has not seen a signal.
 */
export async function retry(input: RetryInput): Promise<RetryResult> {
  let asked = 0
  setHandler(askedSignal, () => void (asked += 1))
  for (;;) {
    const seen = asked
    const result = await retryMessage(input)
    if (asked === seen) return result
  }
}
