import { setHandler } from '@temporalio/workflow'
import { askedSignal, type RetryInput, type RetryResult } from '../src/automation-engine/index.ts'
import { retryMessage } from './activities.ts'

/**
 * A message that somebody wants tried again, until it is settled: in the queue in which emails wait for a connection, at the rate
 * that it keeps. What may be sent, and that it is handed over once, is up to the ledger. Who asks while it is being tried is asked
 * about before it ends: Temporal lets no run end that has not seen a signal.
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
