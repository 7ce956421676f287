import type { RetryInput, RetryResult } from '../src/sequences/index.ts'
import { retryMessage } from './activities.ts'

/**
 * A message that somebody wants tried again, until it is settled: in the queue in which emails wait for a connection, at the rate
 * that it keeps. What may be sent, and that it is handed over once, is up to the ledger.
 */
export const retry = (input: RetryInput): Promise<RetryResult> => retryMessage(input)
