import { isDatabaseUnavailable, isLoginRefused, isSchemaOlder } from '../platform/db/errors.ts'
import type { RunningService } from '../runtime/running-service.ts'
import { forTerminal } from '../platform/terminal.ts'

/** What whoever waits for something is told when the process is asked to stop. */
class Stopped extends Error {
  override message = 'Stopped while it was started'
}

/**
 * One Ctrl-C comes twice, from the terminal and from npm, which passes signals on: within this time it is the same one. A
 * finger needs longer for a second.
 */
const SAME_SIGNAL_MS = 150

/** @returns what is aborted at the first SIGINT, SIGTERM or SIGHUP. A second one ends the process where it is. */
export function stopSignal(onStop: () => void = () => undefined): AbortSignal {
  const controller = new AbortController()
  let askedAt: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(130)
      if (askedAt !== undefined) return
      askedAt = performance.now()
      onStop()
      controller.abort(new Stopped())
    })
  }
  return controller.signal
}

/** Settles when the process is asked to stop. */
export const whenAborted = (aborted: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (aborted.aborted) resolve()
    else aborted.addEventListener('abort', () => resolve(), { once: true })
  })

/** Collects what is to be closed at the end, while it is opened. */
export interface Closers {
  add(close: () => Promise<void>): void
}

/**
 * Runs a part's composition root, and closes what it has opened, the last first, however it ends: by a signal, by an error,
 * or by a part that can't go on. What can't be closed keeps nothing else open.
 * @param start starts the parts, and collects how to close what they need.
 * @throws the first that went wrong, which is why it ended.
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
    return `Postgres does not let us in (${message}). Set DATABASE_URL to a user, a password and a database that are there.`
  }
  if (isSchemaOlder(error)) {
    return `The database is not one of this version (${message}). Bring it up to date: npm run --silent cli -- migrate`
  }
  if (!isDatabaseUnavailable(error)) return message
  return `Postgres is not reachable (${message}). Is it running: "npm start", or what DATABASE_URL names?`
}

/** Runs a composition root: an error is one line that says what to do, and the exit code is 1. Else it is 0, or what was set. */
export function main(run: () => Promise<void>): void {
  run().then(
    () => process.exit(),
    (error: unknown) => {
      if (error instanceof Stopped) process.exit(0)
      process.stderr.write(`\n${forTerminal(explain(error))}\n`)
      process.exit(1)
    },
  )
}
