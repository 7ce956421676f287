import { setTimeout as delay } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { unlessAborted } from '../platform/abort.ts'

export interface WorkerConnectionOptions {
  address: string
  /** For Temporal Cloud; implies TLS. */
  apiKey: string | undefined
  tls: boolean
  /** Is told why Temporal is not reachable: each new reason, and now and then that it is still so. */
  onWait: (reason: string) => void
  /** How long the same reason is not told again, in milliseconds. */
  silenceMs?: number
}

const MAX_PAUSE_MS = 10_000

/** How long the same reason is not repeated, in milliseconds: who has started something else meanwhile has scrolled it away. */
const SILENCE_MS = 60_000

/** Connects a worker to Temporal, for which it waits however long it takes. @throws what it was aborted with. */
export async function connectWorker(
  { address, apiKey, tls, onWait, silenceMs = SILENCE_MS }: WorkerConnectionOptions,
  aborted: AbortSignal,
): Promise<NativeConnection> {
  const options = { address, tls: tls || apiKey !== undefined, ...(apiKey === undefined ? {} : { apiKey }) }
  let told: { reason: string; at: number } | undefined
  for (let pause = 500; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    aborted.throwIfAborted()
    try {
      // The worker's own connection never gives back what a failed attempt has opened; the client's does.
      await unlessAborted(probe(options), aborted)
      return await unlessAborted(NativeConnection.connect(options), aborted)
    } catch (error) {
      aborted.throwIfAborted()
      const reason = reasonOf(error)
      if (reason !== told?.reason || performance.now() - told.at >= silenceMs) {
        onWait(reason)
        told = { reason, at: performance.now() }
      }
      // Thrown as the signal's reason above, not as the timer's.
      await delay(pause, undefined, { signal: aborted }).catch(() => undefined)
    }
  }
}

async function probe(options: Parameters<typeof Connection.lazy>[0]): Promise<void> {
  // Without the SDK's own repeating, which ends with the news that time is up instead of with what went wrong.
  const connection = Connection.lazy({ ...options, interceptors: [] })
  try {
    await connection.withDeadline(Date.now() + MAX_PAUSE_MS, () => connection.workflowService.getSystemInfo({}))
  } finally {
    await connection.close()
  }
}

/** What the innermost cause says, which is the system's or the server's own word. */
function reasonOf(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  const { details, message } = at as { details?: string; message?: string }
  return details || message || String(at)
}
