import { isDatabaseUnavailable, isLoginRefused, isSchemaOlder } from '../platform/db/errors.ts'
import type { RunningService } from '../runtime/running-service.ts'
import { forTerminal } from '../platform/terminal.ts'

/** Rejects pending operations when the process is asked to stop. */
class StoppedError extends Error {
  override message = 'Stopped during startup'
}

/**
 * A single Ctrl-C arrives twice, from the terminal and from npm, which forwards signals. Within this time, both count as one. A
 * second key press takes longer.
 */
const SAME_SIGNAL_MS = 150

/** @returns a signal that is aborted on the first SIGINT, SIGTERM or SIGHUP. A second one ends the process immediately. */
export function createStopSignal(onStop: () => void = () => undefined): AbortSignal {
  const controller = new AbortController()
  let askedAt: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(130)
      if (askedAt !== undefined) return
      askedAt = performance.now()
      onStop()
      controller.abort(new StoppedError())
    })
  }
  return controller.signal
}

/** Resolves when the process is asked to stop. */
export const whenAborted = (aborted: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (aborted.aborted) resolve()
    else aborted.addEventListener('abort', () => resolve(), { once: true })
  })

/** Collects the resources to close at the end as they are opened. */
export interface Closers {
  add(close: () => Promise<void>): void
}

/**
 * Runs the composition root of a process, and closes what it opened, in reverse order, however it ends: by a signal, by an error,
 * or by a permanent failure of a part. A failing close does not prevent the others.
 * @param start starts the parts, and registers how to close them
 * @throws the first error, which is the reason for the end
 */
export async function runUntilStopped(
  stop: AbortSignal,
  start: (closers: Closers) => Promise<Pick<RunningService, 'ended'>[]>,
): Promise<void> {
  const closers: (() => Promise<void>)[] = []
  const failures: unknown[] = []
  try {
    const parts = await start({ add: (close) => closers.push(close) })
    await Promise.race([whenAborted(stop), ...parts.map((part) => part.ended)])
  } catch (error) {
    failures.push(error)
  }
  for (const close of closers.reverse()) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (isLoginRefused(error)) {
    return `Postgres rejects the login (${message}). Set DATABASE_URL to an existing user, password and database.`
  }
  if (isSchemaOlder(error)) {
    return `The database schema is older than this version (${message}). Migrate it: npm run --silent cli -- migrate`
  }
  if (!isDatabaseUnavailable(error)) return message
  return `Postgres cannot be reached (${message}). Check that "npm start", or the server in DATABASE_URL, is running.`
}

/**
 * Runs a composition root. An error is printed as one line that states what to do, and the exit code is 1. Otherwise it is 0, or
 * the code that was set.
 */
export function main(run: () => Promise<void>): void {
  run().then(
    () => process.exit(),
    (error: unknown) => {
      if (error instanceof StoppedError) process.exit(0)
      process.stderr.write(`\n${forTerminal(explain(error))}\n`)
      process.exit(1)
    },
  )
}
