import { setTimeout as delay } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { unlessAborted } from '../platform/abort.ts'

export interface WorkerConnectionOptions {
  address: string
  /** For Temporal Cloud; implies TLS. */
  apiKey: string | undefined
  tls: boolean
  /** Called with the reason if Temporal is not reachable: for each new reason, and again after `silenceMs`. */
  onWait: (reason: string) => void
  /** Milliseconds for which the same reason is not repeated. */
  silenceMs?: number
}

const MAX_PAUSE_MS = 10_000

/** Milliseconds for which the same reason is not repeated. By then, other output has scrolled it out of view. */
const SILENCE_MS = 60_000

/** Connects a worker to Temporal, and waits for it without a time limit. @throws the reason of the abort signal */
export async function connectWorker(
  { address, apiKey, tls, onWait, silenceMs = SILENCE_MS }: WorkerConnectionOptions,
  aborted: AbortSignal,
): Promise<NativeConnection> {
  const options = { address, tls: tls || apiKey !== undefined, ...(apiKey === undefined ? {} : { apiKey }) }
  let reported: { reason: string; at: number } | undefined
  for (let pause = 500; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    aborted.throwIfAborted()
    try {
      // Probes with a client first: the worker's own connection leaks the sockets of failed attempts.
      await unlessAborted(probe(options), aborted)
      return await unlessAborted(NativeConnection.connect(options), aborted)
    } catch (error) {
      aborted.throwIfAborted()
      const reason = reasonOf(error)
      if (reason !== reported?.reason || performance.now() - reported.at >= silenceMs) {
        onWait(reason)
        reported = { reason, at: performance.now() }
      }
      // Rejects with the signal's reason above, not with the timer's.
      await delay(pause, undefined, { signal: aborted }).catch(() => undefined)
    }
  }
}

async function probe(options: Parameters<typeof Connection.lazy>[0]): Promise<void> {
  // Without the SDK's own retries, which end with a timeout instead of the actual error.
  const connection = Connection.lazy({ ...options, interceptors: [] })
  try {
    await connection.withDeadline(Date.now() + MAX_PAUSE_MS, () => connection.workflowService.getSystemInfo({}))
  } finally {
    await connection.close()
  }
}

/** Returns the message of the innermost cause, which comes from the system or the server. */
function reasonOf(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  const { details, message } = at as { details?: string; message?: string }
  return details || message || String(at)
}
