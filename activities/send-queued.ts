import { ApplicationFailure, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import type { Patience, SendResult } from '../src/messages/index.ts'
import { TransportClosed } from '../src/smtp/index.ts'
import { withHeartbeat } from './with-heartbeat.ts'

/** The SDK logs these for debugging only: the log has one line when the mail server fails, and one when it is back. */
const EXPECTED = ApplicationFailureCategory.BENIGN

const notNow = (type: string, message: string, nextRetryDelay: string | number) =>
  ApplicationFailure.create({ message, type, category: EXPECTED, nextRetryDelay: nextRetryDelay as number })

/**
 * Sends an email from the queue in which emails wait for a connection. What is certainly not sent fails the attempt and is
 * retried by Temporal for as long as it takes; everything else is a result.
 */
export async function sendQueued<Result extends SendResult>(
  send: (patience: Patience) => Promise<Result>,
): Promise<Exclude<Result, { kind: 'queue' | 'deferred' | 'changed' }>> {
  try {
    return await withHeartbeat(async () => {
      const result = await send({ turn: Context.current().cancellationSignal })
      if (result.kind === 'queue') {
        throw notNow('Waiting', 'No connection was free for a while; others have their turn', '1 second')
      }
      // The server's words can hold an address, and histories hold none: they are in the ledger.
      if (result.kind === 'deferred') {
        throw notNow('Deferred', 'The message was not sent; it will be tried again', result.afterMs)
      }
      if (result.kind === 'changed')
        throw notNow('Changed', 'The message changed while it was prepared; the step is tried again', '1 second')
      return result as Exclude<Result, { kind: 'queue' | 'deferred' | 'changed' }>
    })
  } catch (error) {
    if (!(error instanceof TransportClosed)) throw error
    throw notNow('Stopping', 'The worker is stopping; another one sends the message', '1 second')
  }
}
