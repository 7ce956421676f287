import { ApplicationFailure, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import type { WaitLimit, SendResult } from '../src/messages/index.ts'
import { TransportClosed } from '../src/smtp/index.ts'
import { withHeartbeat } from './with-heartbeat.ts'

/** The SDK logs these only at debug level. The log has one line when the mail server fails, and one when it recovers. */
const EXPECTED = ApplicationFailureCategory.BENIGN

const notNow = (type: string, message: string, nextRetryDelay: string | number) =>
  ApplicationFailure.create({ message, type, category: EXPECTED, nextRetryDelay: nextRetryDelay as number })

/**
 * Sends an email from the sending queue. If it was certainly not sent, the attempt fails and Temporal retries it without limit.
 * Everything else is a result.
 */
export async function sendQueued<Result extends SendResult>(
  send: (patience: WaitLimit) => Promise<Result>,
): Promise<Exclude<Result, { kind: 'queue' | 'deferred' | 'changed' }>> {
  try {
    return await withHeartbeat(async () => {
      const result = await send({ turn: Context.current().cancellationSignal })
      if (result.kind === 'queue') {
        throw notNow('Waiting', 'No connection was free for a while; other messages take their turn', '1 second')
      }
      // The server's response can contain an address, which must not be in a history. The message's row has it.
      if (result.kind === 'deferred') {
        throw notNow('Deferred', 'The message was not sent; it will be tried again', result.afterMs)
      }
      if (result.kind === 'changed')
        throw notNow('Changed', 'The message changed while it was prepared; the step is retried', '1 second')
      return result as Exclude<Result, { kind: 'queue' | 'deferred' | 'changed' }>
    })
  } catch (error) {
    if (!(error instanceof TransportClosed)) throw error
    throw notNow('Stopping', 'The worker is stopping; another worker sends the message', '1 second')
  }
}
